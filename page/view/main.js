// Where the page begins.
import { App } from './app.js';

function start() {
  const data = document.getElementById('data');
  const root = document.getElementById('run');
  if (!data || !root) return;
  document.documentElement.classList.add('scripted');
  const isLink = location.hash !== ''; // to a place in the run, not to the report as a whole
  window.causalcheck = new App(JSON.parse(data.textContent), root);
  performance.mark('causalcheck-ready');
  if (isLink) window.causalcheck.stage.scrollIntoView({ block: 'nearest' });
}

start();
