// Everything above the rows: which run, which conflict, and what is shown.
import { clientName, topicName } from '../model/words.js';
import { h } from './dom.js';

function select(label, value, options, onchange) {
  return h('label', null, label, h('select', { onchange: (event) => onchange(event.target.value) },
    ...options.map(([v, text]) => h('option', { value: v, selected: v === value }, text))));
}

function toggle(label, pressed, onclick, title = null) {
  return h('button', { type: 'button', 'aria-pressed': String(pressed), onclick, title }, label);
}

export function toolbar(app) {
  const { model, settings } = app;
  const set = (name) => (value) => app.change({ [name]: value });
  const { run } = model;
  const parts = [];
  if (app.block.runs.length > 1) {
    const group = h('span', { class: 'group', role: 'group', 'aria-label': 'Run' });
    app.block.runs.forEach((block, k) => group.append(
      toggle(block.name, !app.compare && app.runIndex === k, () => app.openRun(k))));
    group.append(toggle('compare', app.compare, () => app.openCompare()));
    parts.push(group);
  }
  if (app.compare) return h('div', { class: 'toolbar' }, ...parts);
  if (model.conflicts.length > 1) {
    parts.push(select('conflict', String(app.conflictIndex),
      model.conflicts.map(({ violation }, k) => [String(k), violation.guarantees.join(', ')]),
      (value) => app.openConflict(Number(value))));
  }
  parts.push(
    select('client', settings.client, [['', 'all'], ...run.clients.map((_, c) => [String(c), clientName(run, c)])], set('client')),
    run.topics.length > 1
      ? select('topic', settings.topic, [['', 'all'], ...run.topics.map((_, t) => [String(t), topicName(run, t)])], set('topic'))
      : null,
    select('kind', settings.kind, [['', 'all'], ['publish', 'publishes'], ['observe', 'observations'], ['nothing', 'empty reads'], ['drain', 'drain']], set('kind')),
    select('outcome', settings.outcome, [['', 'all'], ['o', 'ok'], ['i', 'unknown'], ['f', 'failed']], set('outcome')),
    select('adds', settings.principle, [['', 'anything'], ['1', 'P1'], ['2', 'P2'], ['3', 'P3']], set('principle')),
    select('where', settings.where, [['', 'everywhere'],
      ...(app.conflict ? [['cycle', 'in the conflict']] : []),
      ...(app.hasPast() ? [['past', 'past of the selection']] : [])], set('where')),
    h('label', null, 'text', app.filterBox),
    select('clauses', app.options.clauses, [['new', 'new'], ['cycle', 'only the conflict\u2019s'], ['all', 'all new, uncut'], ['none', 'none']],
      (value) => app.option({ clauses: value })),
    toggle('fold', settings.folded, () => app.change({ folded: !settings.folded, unfolded: [] })),
    toggle('spaced', settings.byPosition, () => app.change({ byPosition: !settings.byPosition }), 'space rows by their positions'),
    toggle('every read', settings.repeats, () => app.change({ repeats: !settings.repeats }), 'also reads that brought nothing new'),
    run.topics.length > 1 ? toggle('every log', settings.allLogs, () => app.change({ allLogs: !settings.allLogs })) : null,
    toggle('raw', app.options.raw, () => app.option({ raw: !app.options.raw }), 'operations as they were recorded'),
    h('button', { type: 'button', onclick: () => app.copyTest() }, 'copy as test'),
    h('select', { 'aria-label': 'Save', onchange: (event) => { app.save(event.target.value); event.target.value = ''; } },
      ...[['', 'save\u2026'], ['history', 'what is shown, as a history'], ['svg', 'the lanes in view, as SVG'],
        ['shiviz', 'the run, for ShiViz'], ['chrome', 'the run, as a Chrome trace']]
        .map(([value, text]) => h('option', { value }, text))),
    settings.hiddenLanes.length > 0
      ? h('button', { type: 'button', onclick: () => app.change({ hiddenLanes: [] }) }, 'show all lanes') : null,
    app.isFiltered() ? h('button', { type: 'button', onclick: () => app.clearFilter() }, 'clear filter') : null,
    h('button', { type: 'button', onclick: () => app.help.showModal() }, 'keys ?'));
  return h('div', { class: 'toolbar', role: 'toolbar', 'aria-label': 'What is shown' }, ...parts);
}
