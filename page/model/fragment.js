// The part of a link behind the hash: what is selected, shown and filtered. Works from disk.
import { defaultSettings } from './layout.js';

const WORDS = ['client', 'topic', 'kind', 'outcome', 'principle', 'where', 'text'];

/** "#e=5&o=4&hide=c2&kind=publish"; only what differs from the defaults. `view` is {run, compare,
 * conflict, operation, number, selected, settings}: `operation` has the focus and is numbered
 * `number`, `selected` shows its cone; -1 for none. */
export function toFragment(view) {
  const parts = new URLSearchParams();
  if (view.run > 0) parts.set('run', view.run);
  if (view.compare) parts.set('compare', '1');
  if (view.conflict > 0) parts.set('v', view.conflict);
  if (view.operation >= 0) {
    parts.set('e', view.number); // for people; several operations can share a number
    parts.set('o', view.operation);
  }
  if (view.selected >= 0) parts.set('s', view.selected);
  const { settings } = view;
  for (const word of WORDS) if (settings[word] !== '') parts.set(word, settings[word]);
  if (settings.hiddenLanes.length > 0) parts.set('hide', settings.hiddenLanes.join(','));
  if (settings.folded) parts.set('fold', '1');
  if (settings.byPosition) parts.set('spaced', '1');
  if (settings.repeats) parts.set('all', '1');
  if (settings.allLogs) parts.set('logs', '1');
  const text = parts.toString();
  return text === '' ? '' : `#${text}`;
}

/** What a fragment asks for; whatever does not fit is left at its default. */
export function fromFragment(hash) {
  const parts = new URLSearchParams(hash.replace(/^#/, ''));
  const whole = (name) => {
    const text = parts.get(name) ?? '';
    return /^\d{1,15}$/.test(text) ? Number(text) : null;
  };
  const settings = defaultSettings();
  for (const word of WORDS) settings[word] = parts.get(word) ?? '';
  for (const word of ['client', 'topic', 'principle']) {
    if (!/^\d{0,9}$/.test(settings[word])) settings[word] = '';
  }
  if (!['', 'publish', 'observe', 'nothing', 'drain'].includes(settings.kind)) settings.kind = '';
  if (!['', 'o', 'f', 'i'].includes(settings.outcome)) settings.outcome = '';
  if (!['', '1', '2', '3'].includes(settings.principle)) settings.principle = '';
  if (!['', 'cycle', 'past'].includes(settings.where)) settings.where = '';
  settings.hiddenLanes = (parts.get('hide') ?? '').split(',').filter((key) => /^([ct]\d{1,9}|other)$/.test(key));
  settings.folded = parts.get('fold') === '1';
  settings.byPosition = parts.get('spaced') === '1';
  settings.repeats = parts.get('all') === '1';
  settings.allLogs = parts.get('logs') === '1';
  return {
    run: whole('run') ?? 0,
    compare: parts.get('compare') === '1',
    conflict: whole('v') ?? 0,
    number: whole('e'),
    operation: whole('o'),
    selected: whole('s'),
    settings,
  };
}
