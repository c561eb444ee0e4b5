// Where the page begins.
import { App } from './app.js';
import { Live } from './live.js';

function start() {
  const root = document.getElementById('run');
  const live = document.getElementById('live-data');
  if (live) {
    document.documentElement.classList.add('scripted');
    window.causalcheck = new Live(JSON.parse(live.textContent), document.getElementById('live'), root);
    return;
  }
  const data = document.getElementById('data');
  if (!data || !root) return;
  document.documentElement.classList.add('scripted');
  const isLink = location.hash !== ''; // to a place in the run, not to the report as a whole
  window.causalcheck = new App(JSON.parse(data.textContent), root);
  performance.mark('causalcheck-ready');
  if (isLink) window.causalcheck.stage.scrollIntoView({ block: 'nearest' });
}

start();
