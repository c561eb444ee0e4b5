// Two runs side by side, each row marked with how it differs from its match.
import { NONE, numberOf } from '../model/run.js';
import { DIFFERS, SAME, compare } from '../model/compare.js';
import { messageName, plural } from '../model/words.js';
import { textOf } from '../model/layout.js';
import { h } from './dom.js';
import { ROW } from './lanes.js';

/** A pane with the rows of one run; only those in view are in the page. */
class Pane {
  constructor(model, title, side, onMove) {
    this.model = model;
    this.side = side;
    this.rows = model.order.filter((i) => !model.repeats[i]);
    this.rowOf = new Map(this.rows.map((i, r) => [i, r]));
    this.body = h('div', { class: 'body', role: 'list' });
    this.body.style.height = `${this.rows.length * ROW}px`;
    this.element = h('div', { class: 'pane', tabindex: 0, 'aria-label': title }, h('h3', null, title), this.body);
    this.element.addEventListener('scroll', () => { this.draw(); onMove(this); }, { passive: true });
    this.marked = NONE;
  }

  draw() {
    const height = this.element.clientHeight || 600;
    const first = Math.max(0, Math.floor(this.element.scrollTop / ROW) - 6);
    const last = Math.min(this.rows.length - 1, first + Math.ceil(height / ROW) + 12);
    const parts = [];
    for (let r = first; r <= last; ++r) parts.push(this.rowElement(r));
    this.body.replaceChildren(...parts);
  }

  rowElement(r) {
    const i = this.rows[r];
    const state = this.side.state[i];
    const kind = state === SAME ? '' : state === DIFFERS ? ' differs' : ' only';
    const mark = state === SAME ? '=' : state === DIFFERS ? '\u2260 differs' : '+ only here';
    const element = h('div', {
      class: `row${kind}${i === this.marked ? ' active' : ''}`, role: 'listitem', 'data-operation': i,
    },
    h('span', { class: 'state' }, mark), h('span', { class: 'num' }, numberOf(this.model.run, i)),
    h('span', { class: 'note' }, textOf(this.model, i)));
    element.style.top = `${r * ROW}px`;
    return element;
  }

  show(operation) {
    const r = this.rowOf.get(operation);
    if (r === undefined) return;
    this.marked = operation;
    this.element.scrollTop = Math.max(0, r * ROW - this.element.clientHeight / 2);
    this.draw();
  }
}

export function compareView(left, right, names) {
  const sides = compare(left, right);
  const counts = { same: 0, differs: 0, only: [0, 0] };
  sides.forEach((side, k) => {
    const { run, repeats } = k === 0 ? left : right;
    for (let i = 0; i < run.count; ++i) {
      if (repeats[i]) continue;
      if (side.match[i] === NONE) ++counts.only[k];
      else if (k === 0) ++counts[side.state[i] === SAME ? 'same' : 'differs'];
    }
  });
  let together = true;
  let moving = false;
  const follow = (pane) => {
    if (!together || moving) return;
    const other = pane === panes[0] ? panes[1] : panes[0];
    const r = Math.floor(pane.element.scrollTop / ROW);
    for (let k = r; k < pane.rows.length && k < r + 60; ++k) {
      const match = pane.side.match[pane.rows[k]];
      if (match === NONE) continue;
      moving = true;
      other.element.scrollTop = Math.max(0, other.rowOf.get(match) * ROW - (k - r) * ROW);
      requestAnimationFrame(() => { moving = false; });
      return;
    }
  };
  const panes = [new Pane(left, names[0], sides[0], follow), new Pane(right, names[1], sides[1], follow)];
  const words = h('p', { class: 'words', role: 'status' },
    `${plural(counts.same, 'operation')} the same, ${counts.differs.toLocaleString('en')} differ, ` +
    `${counts.only[0].toLocaleString('en')} only in ${names[0]}, ${counts.only[1].toLocaleString('en')} only in ${names[1]}. ` +
    'Matched by client and by its n-th publish or observation; click one to see its match.');
  const toggle = h('button', { type: 'button', 'aria-pressed': 'true', onclick: () => {
    together = !together;
    toggle.setAttribute('aria-pressed', String(together));
  } }, 'scroll together');
  panes.forEach((pane, k) => pane.element.addEventListener('click', (event) => {
    const element = event.target.closest('.row');
    if (!element) return;
    const i = Number(element.dataset.operation);
    pane.marked = i;
    pane.draw();
    const match = sides[k].match[i];
    const other = panes[1 - k];
    moving = true;
    if (match === NONE) words.textContent = `${messageName(pane.model.run, pane.model.run.message[i])}: no match in ${names[1 - k]}.`;
    else other.show(match);
    requestAnimationFrame(() => { moving = false; });
  }));
  const element = h('div', null, h('div', { class: 'toolbar' }, toggle), words,
    h('div', { class: 'compare' }, panes[0].element, panes[1].element));
  return { element, draw: () => panes.forEach((pane) => pane.draw()) };
}
