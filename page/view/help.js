// The list of keys.
import { h } from './dom.js';

export const KEYS = [
  ['Up / Down, k / j', 'previous, next event in recorded order'],
  ['Left / Right, , / .', 'previous, next event on the same lane'],
  ['[ / ]', 'along P2: to the publish, to the next observation'],
  ['n / p', 'next, previous clause of the conflict'],
  ['c', 'to the broken clause'],
  ['Enter / Esc', 'select and show past, future and concurrent / clear'],
  ['/', 'filter'],
  ['g', 'go to a number'],
  ['f', 'fold what has no edge in view'],
  ['h', 'hide this lane; H shows all lanes'],
  ['t', 'space rows by their positions'],
  ['y', 'copy the selection, or the past of the conflict, as a test in shorthand'],
  ['?', 'this list'],
];

export function helpDialog() {
  const rows = KEYS.map(([keys, does]) => {
    const cell = h('td');
    keys.split(/(, | \/ )/).forEach((part) => {
      if (part === ', ' || part === ' / ') cell.append(part);
      else if (part !== '') cell.append(h('kbd', null, part));
    });
    return h('tr', null, cell, h('td', null, does));
  });
  const dialog = h('dialog', { class: 'help', 'aria-label': 'Keys' }, h('h2', null, 'Keys'),
    h('table', null, h('tbody', null, ...rows)),
    h('p', { class: 'soft' }, 'Circle: publish. Ring: observation. Dashed: failed or of unknown outcome. ' +
      'Square: in the log, with its slot. Solid arrow: P2, through the log. Lane: P1. Dashed arrow: P3, ' +
      'with a tick at the row that taught it. Doubled and crossed: the broken clause.'),
    h('form', { method: 'dialog' }, h('button', null, 'Close')));
  return dialog;
}
