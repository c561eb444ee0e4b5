// The hold-back lens: strips beside the lanes, and the list below the rows.
import { NONE } from '../model/run.js';
import { heldEvents, waitWords } from '../model/layout.js';
import { clientName, eventSymbol, messageName, plural } from '../model/words.js';
import { h } from './dom.js';

const LENS_MAX = 200; // lines of the list
const STRIPS_MAX = 40;

/** The stretches in which a causal receiver would have held something, and the backend did. */
export function strips(app) {
  const { places } = app.timeline;
  const { run, waits } = app.model;
  // Where there are many, those of the client in hand, and what the conflict is about.
  const chosen = stripClient(app);
  const strips = waits.filter((wait) => {
    const row = places.rowOf[wait.observed];
    if (row === NONE || places.inFold.has(wait.observed)) return false;
    return chosen === NONE || wait.reader === chosen || app.conflict?.operations.has(wait.observed);
  }).map((wait) => ({
    client: wait.reader, real: false, from: places.rowAt(wait.observedAt),
    to: wait.releasedAt === Infinity ? Infinity : places.rowAt(wait.releasedAt),
  }));
  for (const hold of app.model.holds) {
    const client = run.clients.indexOf(hold.at);
    if (client < 0) continue;
    strips.push({
      client, real: true, from: places.rowAt(hold.start),
      to: hold.end === Infinity ? Infinity : places.rowAt(hold.end),
    });
  }
  return strips.filter((strip) => strip.from < places.rows.length);
}

/** The client whose waits are drawn; NONE: everybody's. */
export function stripClient(app) {
  if (app.model.waits.length <= STRIPS_MAX) return NONE;
  const operation = app.activeOperation();
  return operation === NONE ? NONE : app.model.run.client[operation];
}

export function drawLens(app) {
  const { model } = app;
  const { run, line } = model;
  if (model.waits.length === 0 && model.neverNeeded.length === 0) {
    app.lens.replaceChildren();
    return;
  }
  const rows = model.waits.slice(0, LENS_MAX).map((wait) => h('tr', null,
    h('td', null, clientName(run, wait.reader)), h('td', null, messageName(run, wait.message)),
    h('td', null, h('button', { type: 'button', onclick: () => app.focusOperation(wait.observed) }, eventSymbol(run, line, wait.event))),
    h('td', null, `${messageName(run, wait.missing)} (${clientName(run, wait.process)} ${wait.needs} / ${wait.has})`),
    h('td', null, wait.releasedEvent === NONE ? 'still waiting at the end of the run' : eventSymbol(run, line, wait.releasedEvent)),
    h('td', null, heldEvents(model, wait)), h('td', null, waitWords(model, wait))));
  for (const skip of model.neverNeeded.slice(0, LENS_MAX - rows.length)) {
    rows.push(h('tr', null, h('td', null, clientName(run, skip.reader)), h('td', null, '\u2013'),
      h('td', null, eventSymbol(run, line, skip.event)), h('td', null, messageName(run, skip.message)),
      h('td', null, 'never needed'), h('td', null, 0),
      h('td', null, 'the missing message was overwritten before this client looked')));
  }
  const left = model.waits.length + model.neverNeeded.length - rows.length;
  const heads = ['reader', 'message', 'arrived', 'missing (needed / present)', 'released by', 'events held', 'in words'];
  app.lens.replaceChildren(h('details', { open: model.waits.length > 0 && model.waits.length <= 12 },
    h('summary', null, h('strong', null, 'Hold-back lens: '), `a causal receiver would have held back ${plural(model.waits.length, 'message')}`),
    h('table', null, h('thead', null, h('tr', null, ...heads.map((head) => h('th', { scope: 'col' }, head)))),
      h('tbody', null, ...rows)),
    left > 0 ? h('p', { class: 'soft' }, `and ${left} more`) : null));
}
