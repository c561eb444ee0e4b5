// The page's state, and what every action does to it.
import { NONE, isDrain, numberOf } from '../model/run.js';
import { PAST, coneOf } from '../model/clocks.js';
import { modelOf } from '../model/model.js';
import { announcement, defaultSettings, lanesOf, rowsOf } from '../model/layout.js';
import { chromeTrace, historyLine, historyOfRows, shivizLog } from '../model/exports.js';
import { fromFragment, toFragment } from '../model/fragment.js';
import { shorthandOf } from '../model/shorthand.js';
import { eventSymbol, plural } from '../model/words.js';
import { compareView } from './compare_view.js';
import { h } from './dom.js';
import { helpDialog } from './help.js';
import { pressed } from './keys.js';
import { ROW } from './lanes.js';
import { drawLens, stripClient, strips } from './lens.js';
import { inspect } from './inspector.js';
import { Overview } from './overview.js';
import { Timeline } from './timeline.js';
import { toolbar } from './toolbar.js';

const FILTERS = ['client', 'topic', 'kind', 'outcome', 'principle', 'where', 'text'];


export class App {
  /** `isLive`: the run grows, and links to places in it make no sense. */
  constructor(block, root, isLive = false) {
    this.block = block;
    this.isLive = isLive;
    this.root = root;
    this.models = [];
    this.options = { clauses: 'new', raw: false };
    this.compare = false;
    this.hover = null;
    this.filterBox = h('input', { type: 'search', 'aria-label': 'Filter by text', placeholder: 'symbol, message, words\u2026' });
    this.filterBox.addEventListener('input', () => {
      this.typing = true;
      this.change({ text: this.filterBox.value });
      this.typing = false;
    });
    this.filterBox.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape' && event.key !== 'Enter') return;
      if (event.key === 'Escape') this.filterBox.value = '';
      this.change({ text: this.filterBox.value });
      this.timeline.grid.focus();
      event.stopPropagation();
    });
    this.status = h('div', { class: 'sr', role: 'status', 'aria-live': 'polite', id: 'said' });
    this.words = h('p', { class: 'words', id: 'words' });
    this.tools = h('div');
    this.help = helpDialog();
    this.inspector = h('aside', { class: 'inspector', 'aria-label': 'Event' });
    this.lens = h('div', { class: 'lens' });
    this.compareBox = h('div');
    this.timeline = new Timeline(this, {
      select: (row) => this.select(row),
      light: (clause, row) => this.light(clause, row),
      toggleFold: (row) => this.unfold(row),
      hideLane: (key) => this.hideLane(key),
    });
    this.overview = new Overview(this, (row) => { this.focus(row, true); });
    this.timeline.scroller.addEventListener('scroll', () => this.soon(), { passive: true });
    this.stage = h('div', { class: 'stage' }, this.overview.canvas, this.timeline.scroller, this.inspector);
    root.append(h('h2', null, 'The run'), this.tools, this.words, this.stage, this.compareBox, this.lens, this.status, this.help);
    this.timeline.grid.addEventListener('keydown', (event) => pressed(this, event));
    window.addEventListener('hashchange', () => { if (location.hash !== this.written) this.fromLink(); });
    window.addEventListener('resize', () => this.redraw());
    this.fromLink();
  }

  // -- state ---------------------------------------------------------------------------------------

  model_(index) {
    this.models[index] ??= modelOf(this.block.runs[index], this.block.grounding);
    return this.models[index];
  }

  fromLink() {
    const link = fromFragment(location.hash);
    this.runIndex = Math.min(link.run, this.block.runs.length - 1);
    this.model = this.model_(this.runIndex);
    this.settings = link.settings;
    this.filterBox.value = link.settings.text;
    this.conflictIndex = Math.min(link.conflict, Math.max(0, this.model.conflicts.length - 1));
    this.conflict = this.model.conflicts[this.conflictIndex] ?? null;
    this.compare = link.compare && this.block.runs.length > 1;
    this.selection = null;
    const { run } = this.model;
    if (link.selected !== null && link.selected < run.count) this.selectOperation(link.selected);
    let operation = link.operation !== null && link.operation < run.count ? link.operation : NONE;
    if (operation === NONE && link.number !== null) {
      operation = this.model.order.find((i) => numberOf(run, i) === link.number) ?? NONE;
    }
    if (operation === NONE) operation = this.conflict ? this.conflict.opensAt : this.model.order[0] ?? NONE;
    this.active = 0;
    this.refresh(operation, true);
  }

  selectOperation(operation) {
    const event = this.model.line.eventOf[operation];
    this.selection = {
      operation, event,
      cone: event === NONE ? null : coneOf(this.model.line, this.model.clocks, event),
    };
  }

  /** Computes lanes and rows anew and shows them, with the focus on `operation` if it is there. */
  refresh(operation = this.activeOperation(), center = false) {
    const { model, settings } = this;
    this.lanes = lanesOf(model, this.conflict, settings);
    this.shown = rowsOf(model, this.conflict, this.selection, settings);
    this.stage.hidden = this.compare;
    this.stage.style.display = this.compare ? 'none' : '';
    this.words.hidden = this.compare;
    this.lens.hidden = this.compare;
    this.drawTools();
    this.compareBox.replaceChildren();
    if (this.compare) {
      const names = [this.block.runs[0].name, this.block.runs[1].name];
      const view = compareView(this.model_(0), this.model_(1), names);
      this.compareBox.append(view.element);
      view.draw();
      this.link();
      return;
    }
    this.words.textContent = this.shown.words;
    this.scene = this.makeScene();
    this.timeline.layout();
    this.scene.holdStrips = strips(this);
    const row = operation === NONE ? 0 : this.timeline.places.rowOf[operation];
    this.active = Math.max(0, Math.min(row < 0 ? this.nearest(operation) : row, this.shown.rows.length - 1));
    const content = this.shown.rows.length * ROW + 90;
    this.stage.style.height = content < 440 ? '440px' : '';
    if (this.shown.rows.length > 0) this.timeline.reveal(this.active, center);
    this.timeline.draw(true);
    this.show();
    drawLens(this);
  }

  hasPast() {
    return this.selection !== null && this.selection.event !== NONE;
  }

  /** The controls anew; the one with the focus keeps it. */
  drawTools() {
    this.pastOffered = this.hasPast();
    const controls = () => [...this.tools.querySelectorAll('button, select, input')];
    const at = controls().indexOf(document.activeElement);
    this.tools.replaceChildren(toolbar(this));
    if (at < 0) return;
    const control = document.activeElement === this.filterBox || this.typing ? this.filterBox : controls()[at];
    control?.focus();
  }

  nearest(operation) {
    return this.timeline.places.rowAt(numberOf(this.model.run, operation));
  }

  makeScene() {
    const { conflict, selection, model } = this;
    const dims = (row) => {
      if (row.folded) return false;
      const i = row.operation;
      if (selection && selection.cone) {
        if (i === selection.operation || conflict?.operations.has(i)) return false;
        return row.event === NONE || selection.cone.of[row.event] === 3;
      }
      return conflict !== null && !conflict.operations.has(i);
    };
    return { conflict, selection, lit: null, dims, holdStrips: [], model };
  }

  activeOperation() {
    return this.shown?.rows[this.active]?.operation ?? NONE;
  }

  change(settings) {
    this.settings = { ...this.settings, ...settings };
    this.refresh();
  }

  option(options) {
    this.options = { ...this.options, ...options };
    this.refresh();
  }

  /** A run that has grown. `follow`: the focus goes to its newest row. */
  grow(block, follow) {
    this.block.runs[0] = block;
    this.models = [];
    this.model = this.model_(0);
    this.conflict = this.model.conflicts[this.conflictIndex] ?? null;
    const { run, order } = this.model;
    const selected = this.selection?.operation ?? NONE;
    this.selection = null;
    if (selected !== NONE && selected < run.count) this.selectOperation(selected);
    const newest = order.length === 0 ? NONE : order.reduce((a, b) => (isDrain(run, b) || numberOf(run, b) >= numberOf(run, a) ? b : a));
    this.refresh(follow ? newest : this.activeOperation());
  }

  toConflict() {
    if (this.conflict) this.refresh(this.conflict.opensAt, true);
  }

  isFiltered() {
    return FILTERS.some((name) => this.settings[name] !== '');
  }

  clearFilter() {
    this.filterBox.value = '';
    const empty = defaultSettings();
    this.change(Object.fromEntries(FILTERS.map((name) => [name, empty[name]])));
  }

  openRun(index) {
    const settings = this.settings;
    this.compare = false;
    this.runIndex = index;
    this.model = this.model_(index);
    this.settings = { ...defaultSettings(), text: settings.text };
    this.openConflict(0);
  }

  openConflict(index) {
    this.conflictIndex = index;
    this.conflict = this.model.conflicts[index] ?? null;
    this.selection = null;
    this.refresh(this.conflict ? this.conflict.opensAt : this.model.order[0] ?? NONE, true);
  }

  openCompare() {
    this.compare = true;
    this.refresh();
  }

  hideLane(key) {
    if (this.lanes.lanes.length > 1) this.change({ hiddenLanes: [...this.settings.hiddenLanes, key] });
  }

  unfold(row) {
    const { operation } = this.shown.rows[row];
    this.settings = { ...this.settings, unfolded: [...this.settings.unfolded, operation] };
    this.refresh(operation);
  }

  // -- showing -------------------------------------------------------------------------------------

  focus(row, center = false) {
    if (row < 0 || row >= this.shown.rows.length) return;
    const before = stripClient(this);
    this.active = row;
    this.hover = null;
    if (stripClient(this) !== before) {
      this.scene.holdStrips = strips(this);
      this.timeline.window = [-1, -1];
    }
    this.timeline.reveal(row, center);
    this.show();
  }

  focusOperation(operation) {
    const row = operation === NONE ? NONE : this.timeline.places.rowOf[operation];
    if (row === NONE) {
      this.say(operation === NONE ? 'There is none.' : 'That event is hidden by the filter.');
      return;
    }
    this.focus(row);
  }

  select(row) {
    this.active = row;
    this.hover = null;
    this.selectOperation(this.shown.rows[row].operation);
    this.selectionChanged();
    const { cone, event } = this.selection;
    if (cone) {
      const { past, future, concurrent } = cone.counts;
      this.say(`Selected ${eventSymbol(this.model.run, this.model.line, event)}: ${plural(past, 'event')} in its past, ` +
        `${future} in its future, ${concurrent} concurrent.`);
    }
  }

  /** Only the rows in view change, unless what is shown depends on the selection. */
  selectionChanged() {
    if (this.settings.folded || this.settings.where === 'past') {
      this.refresh();
      return;
    }
    this.scene = this.makeScene();
    this.scene.holdStrips = strips(this);
    // Of the controls only "past of the selection" depends on it.
    if (this.hasPast() !== this.pastOffered) this.drawTools();
    this.timeline.draw(true);
    this.show();
  }

  clear() {
    this.selection = null;
    if (this.settings.where === 'past') this.change({ where: '' });
    else this.selectionChanged();
    this.say('Cleared.');
  }

  show() {
    const row = this.hover ?? this.shown.rows[this.active];
    this.inspector.replaceChildren(...inspect(this, row));
    if (!this.hover) {
      const active = this.shown.rows[this.active];
      if (active && !this.isLive) this.status.textContent = announcement(this.model, this.conflict, active, this.active, this.shown.rows.length);
      this.link();
    }
    this.soon();
  }

  light(clause, row) {
    if (this.scene.lit !== clause) {
      this.scene.lit = clause;
      this.timeline.drawLanes();
    }
    if (row !== this.hover && (row === null || row.event !== undefined)) {
      this.hover = row;
      this.show();
    }
  }

  soon() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      if (!this.compare) this.overview.draw();
    });
  }

  redraw() {
    if (!this.compare) this.timeline.draw(true);
    this.soon();
  }

  say(text) {
    this.status.textContent = text;
  }

  link() {
    if (this.isLive) return;
    const operation = this.activeOperation();
    const text = toFragment({
      run: this.runIndex, compare: this.compare, conflict: this.conflictIndex, operation,
      number: operation === NONE ? NONE : numberOf(this.model.run, operation),
      selected: this.selection ? this.selection.operation : NONE, settings: this.settings,
    });
    this.written = text;
    if (text !== location.hash) history.replaceState(null, '', text === '' ? location.pathname + location.search : text);
  }

  // -- what rows show ------------------------------------------------------------------------------

  rawLine(i) {
    const text = historyLine(this.model.run, i);
    return text.length > 600 ? `${text.slice(0, 600)}\u2026` : text;
  }

  waitsAt(operation) {
    if (this.waitMap?.model !== this.model) {
      const map = new Map();
      for (const wait of this.model.waits) {
        if (!map.has(wait.observed)) map.set(wait.observed, []);
        map.get(wait.observed).push(wait);
      }
      this.waitMap = { model: this.model, map };
    }
    return this.waitMap.map.get(operation) ?? [];
  }

  firstRowOf(fault) {
    const row = this.shown.rows[this.timeline.places.rowAt(fault.start)];
    return row && !row.folded ? row.operation : NONE;
  }

  leaveRow(leave) {
    const row = this.shown.rows[Math.max(0, this.timeline.places.rowAt(leave.at) - 1)];
    return row && !row.folded ? row.operation : NONE;
  }

  // -- copying -------------------------------------------------------------------------------------

  /** The selection's past, or the conflict's, as shorthand. */
  testText() {
    const { model } = this;
    const { run, line, clocks } = model;
    const chosen = new Set(this.selection ? [] : this.conflict?.operations ?? []);
    const ends = this.selection && this.selection.event !== NONE ? [this.selection.event]
      : [...chosen].map((i) => line.eventOf[i]).filter((e) => e !== NONE);
    if (this.selection) chosen.add(this.selection.operation);
    for (const end of ends) {
      const cone = coneOf(line, clocks, end);
      for (let e = 0; e < line.count; ++e) if (cone.of[e] === PAST || e === end) chosen.add(line.operation[e]);
    }
    if (chosen.size === 0) for (let i = 0; i < run.count; ++i) chosen.add(i);
    return shorthandOf(run, [...chosen]);
  }

  /** What can be saved from the page, as [name of the file, type, text]. */
  exportOf(kind) {
    const { run, line } = this.model;
    switch (kind) {
      case 'history': {
        const shown = this.shown.rows.flatMap((row) => row.members ?? [row.operation]);
        return ['history.jsonl', 'application/jsonl', historyOfRows(run, shown)];
      }
      case 'shiviz': return ['shiviz.log', 'text/plain', shivizLog(run, line)];
      case 'chrome': return ['trace.json', 'application/json', chromeTrace(run)];
      default: return ['lanes.svg', 'image/svg+xml', this.timeline.svgText()];
    }
  }

  save(kind) {
    const [name, type, text] = this.exportOf(kind);
    const address = URL.createObjectURL(new Blob([text], { type }));
    h('a', { href: address, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
  }

  async copyTest() {
    const text = this.testText();
    this.copied = text;
    try {
      await navigator.clipboard.writeText(text);
      this.say(`Copied: ${text.slice(0, 200)}`);
    } catch {
      // A page from disk may not be allowed to: show it, selected, to be copied by hand.
      const box = h('textarea', { rows: 4, cols: 70, 'aria-label': 'The test in shorthand', readonly: true });
      box.value = text;
      const dialog = h('dialog', { class: 'help', 'aria-label': 'The test in shorthand' },
        h('p', null, 'Copy this into history_of("\u2026"):'), box, h('form', { method: 'dialog' }, h('button', null, 'Close')));
      dialog.addEventListener('close', () => { dialog.remove(); this.timeline.grid.focus(); });
      this.root.append(dialog);
      dialog.showModal();
      box.select();
    }
  }
}
