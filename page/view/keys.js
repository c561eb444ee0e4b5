// What each key does (help.js lists them).
import { NONE } from '../model/run.js';
import { h } from './dom.js';
import { ROW } from './lanes.js';

export function pressed(app, event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const action = actionOf(app, event.key);
  if (!action) return;
  event.preventDefault();
  action();
}

function actionOf(app, key) {
  const page = Math.max(1, Math.floor(app.timeline.scroller.clientHeight / ROW) - 2);
  const moves = { ArrowUp: -1, k: -1, ArrowDown: 1, j: 1, PageUp: -page, PageDown: page };
  if (key in moves) {
    const to = Math.max(0, Math.min(app.shown.rows.length - 1, app.active + moves[key]));
    return () => app.focus(to);
  }
  switch (key) {
    case 'Home': return () => app.focus(0);
    case 'End': return () => app.focus(app.shown.rows.length - 1);
    case 'ArrowLeft': case ',': return () => alongLane(app, -1);
    case 'ArrowRight': case '.': return () => alongLane(app, 1);
    case '[': return () => toPublish(app);
    case ']': return () => toObservation(app);
    case 'n': return () => alongConflict(app, 1);
    case 'p': return () => alongConflict(app, -1);
    case 'c': return () => toBroken(app);
    case 'Enter': case ' ': return () => {
      const row = app.shown.rows[app.active];
      if (row?.folded) app.unfold(app.active);
      else if (row) app.select(app.active);
    };
    case 'Escape': return () => app.clear();
    case '/': return () => { app.filterBox.focus(); app.filterBox.select(); };
    case 'g': return () => goTo(app);
    case 'f': return () => app.change({ folded: !app.settings.folded, unfolded: [] });
    case 'h': return () => hideLaneOf(app, app.activeOperation());
    case 'H': return () => app.change({ hiddenLanes: [] });
    case 't': return () => app.change({ byPosition: !app.settings.byPosition });
    case 'y': return () => app.copyTest();
    case '?': return () => app.help.showModal();
    default: return null;
  }
}

function alongLane(app, way) {
  const { run } = app.model;
  const client = run.client[app.activeOperation()];
  for (let r = app.active + way; r >= 0 && r < app.shown.rows.length; r += way) {
    const row = app.shown.rows[r];
    if (!row.folded && run.client[row.operation] === client) {
      app.focus(r);
      return;
    }
  }
  app.say('There is no more on this lane.');
}

function toPublish(app) {
  const { line, run } = app.model;
  const m = run.message[app.activeOperation()];
  app.focusOperation(m === NONE ? NONE : line.facts.send[m]);
}

function toObservation(app) {
  const { run } = app.model;
  const m = run.message[app.activeOperation()];
  for (let r = app.active + 1; m !== NONE && r < app.shown.rows.length; ++r) {
    const row = app.shown.rows[r];
    if (!row.folded && run.message[row.operation] === m) {
      app.focus(r);
      return;
    }
  }
  app.say('Nobody observes it after this.');
}

function alongConflict(app, way) {
  if (!app.conflict || app.conflict.edges.length === 0) return app.say('There is no conflict.');
  const { edges } = app.conflict;
  const at = edges.findIndex((edge) => edge.index === app.clauseAt);
  const next = edges[(at < 0 ? (way > 0 ? 0 : edges.length - 1) : at + way + edges.length) % edges.length];
  app.clauseAt = next.index;
  app.focusOperation(next.learnedFrom);
  return undefined;
}

export function toBroken(app) {
  if (!app.conflict) return app.say('There is no conflict.');
  app.clauseAt = app.conflict.edges.find((edge) => edge.isBroken)?.index;
  const row = app.timeline.places.rowOf[app.conflict.opensAt];
  if (row === NONE) app.clearFilter();
  app.focusOperation(app.conflict.opensAt);
  return undefined;
}

function hideLaneOf(app, operation) {
  if (operation === NONE) return;
  const { run } = app.model;
  app.hideLane(run.client[operation] === NONE ? `t${run.topic[operation]}` : `c${run.client[operation]}`);
}

function goTo(app) {
  const box = h('input', { type: 'number', min: 1, 'aria-label': 'Go to number' });
  const dialog = h('dialog', { class: 'help', 'aria-label': 'Go to number' }, h('form', { method: 'dialog' },
    h('label', null, 'Go to number ', box), ' ', h('button', null, 'Go')));
  app.root.append(dialog);
  dialog.addEventListener('close', () => {
    const number = Number(box.value);
    dialog.remove();
    app.timeline.grid.focus();
    if (box.value === '') return;
    app.focus(Math.min(app.shown.rows.length - 1, app.timeline.places.rowAt(number)), true);
  });
  dialog.showModal();
  box.focus();
}
