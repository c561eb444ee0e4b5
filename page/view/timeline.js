// The grid of rows: only those in view are in the page. One tab stop; the row with the focus is its
// active descendant.
import { NONE, isDrain, numberOf } from '../model/run.js';
import { CONCURRENT, FUTURE, PAST } from '../model/clocks.js';
import { clauseLabel, clientName, deed, eventSymbol, plural, topicName } from '../model/words.js';
import { h } from './dom.js';
import { drawLanes, NUMBER, Places, ROW } from './lanes.js';

const BUFFER = 8; // rows beyond the view
const CLAUSES_SHOWN = 6;
const GAP_STEP = 7; // pixels a position, when rows are spaced by them
const GAP_MAX = 84;
const CONE = { [PAST]: ['\u2191', 'in its past'], [FUTURE]: ['\u2193', 'in its future'], [CONCURRENT]: ['\u2225', 'concurrent'] };

export class Timeline {
  /** `events` are the app's: focus(row), select(row), light(clause), toggleFold(row), hideLane(key). */
  constructor(app, events) {
    this.app = app;
    this.events = events;
    this.headRow = h('div', { class: 'heads', role: 'row', 'aria-rowindex': 1 });
    this.body = h('div', { class: 'body', role: 'rowgroup' });
    this.grid = h('div', {
      class: 'grid', role: 'grid', tabindex: 0, id: 'timeline', 'aria-label': 'The run, one event a row',
      'aria-colcount': 3,
    }, this.headRow, this.body);
    this.scroller = h('div', { class: 'scroller', tabindex: -1 }, this.grid);
    this.scroller.addEventListener('scroll', () => this.draw(), { passive: true });
    this.window = [-1, -1];
    this.body.addEventListener('click', (event) => this.clicked(event));
    this.body.addEventListener('pointerover', (event) => this.hovered(event));
    this.body.addEventListener('pointerleave', () => this.events.light(null, null));
  }

  /** Takes rows and lanes from the app's state, which changed. */
  layout() {
    const { model, lanes, shown, settings } = this.app;
    const { rows } = shown;
    const tops = new Float64Array(rows.length + 1);
    this.breaks = [];
    let y = 0;
    rows.forEach((row, r) => {
      if (settings.byPosition && r > 0) y += this.gap(rows, r, y);
      tops[r] = y;
      y += ROW;
    });
    tops[rows.length] = y;
    this.places = new Places(model, lanes, rows, tops, this.scroller.clientWidth || 900);
    this.body.style.height = `${y + 6}px`;
    this.body.style.minWidth = `${this.places.width + 420}px`;
    this.grid.setAttribute('aria-rowcount', rows.length + 1);
    this.drawHeads();
    this.window = [-1, -1];
    this.draw();
  }

  gap(rows, r, y) {
    const { run } = this.app.model;
    const now = numberOf(run, rows[r].operation);
    const before = rows[r - 1].folded ? rows[r - 1].to : numberOf(run, rows[r - 1].operation);
    const positions = Math.max(0, now - before - 1);
    const wanted = positions * GAP_STEP;
    if (wanted <= GAP_MAX) return wanted;
    this.breaks.push({ y: y + GAP_MAX / 2 - 8, text: `${plural(positions, 'position')} in between` });
    return GAP_MAX;
  }

  drawHeads() {
    const { lanes } = this.app;
    const heads = h('div', { class: 'lane-heads', role: 'columnheader' });
    heads.style.width = `${this.places.width - NUMBER}px`;
    for (const lane of lanes.lanes) {
      const button = h('button', {
        type: 'button', tabindex: -1, title: `${lane.label}: hide this lane`,
        onclick: () => this.events.hideLane(lane.key),
      }, lane.label);
      button.style.left = `${this.places.lane * (lane.index + 0.5)}px`;
      button.style.maxWidth = `${this.places.lane}px`;
      heads.append(button);
    }
    this.headRow.style.minWidth = `${this.places.width + 420}px`;
    this.headRow.replaceChildren(
      h('div', { class: 'num', role: 'columnheader' }, 'number'), heads,
      h('div', { class: 'note', role: 'columnheader' },
        'what happened, and the clauses it adds'));
  }

  rowAtY(y) {
    const { tops } = this.places;
    let low = 0;
    let high = this.places.rows.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (tops[middle] <= y) low = middle;
      else high = middle - 1;
    }
    return Math.max(0, low);
  }

  /** Puts the rows in view into the page, when they are not the ones that are there. */
  draw(force = false) {
    const { rows, tops } = this.places;
    const top = this.scroller.scrollTop;
    const height = this.scroller.clientHeight || 600;
    const first = Math.max(0, this.rowAtY(top) - BUFFER);
    const last = Math.min(rows.length - 1, this.rowAtY(top + height) + BUFFER);
    if (!force && first === this.window[0] && last === this.window[1]) return;
    this.window = [first, last];
    const parts = [];
    if (rows.length > 0) {
      const y0 = tops[first];
      const y1 = tops[last] + ROW + 6;
      parts.push(this.lanesOf(first, last));
      for (let r = first; r <= last; ++r) parts.push(this.rowElement(r));
      for (const gap of this.breaks) {
        if (gap.y < y0 || gap.y > y1) continue;
        const line = h('div', { class: 'break', 'aria-hidden': 'true' }, gap.text);
        line.style.top = `${gap.y}px`;
        parts.push(line);
      }
    }
    this.body.replaceChildren(...parts);
    this.markActive();
  }

  lanesOf(first, last) {
    const { tops } = this.places;
    const svg = drawLanes(this.places, this.app.scene, first, last, tops[first], tops[last] + ROW + 6 - tops[first]);
    svg.style.top = `${tops[first]}px`;
    return svg;
  }

  /** Only the lanes anew: the rows under the pointer stay. */
  drawLanes() {
    this.body.querySelector('svg.lanes')?.replaceWith(this.lanesOf(...this.window));
  }

  /** The lanes in view as an SVG of its own: what style sheets say becomes attributes. */
  svgText() {
    const svg = this.body.querySelector('svg.lanes');
    const copy = svg.cloneNode(true);
    const originals = svg.querySelectorAll('*');
    copy.querySelectorAll('*').forEach((element, k) => {
      const style = getComputedStyle(originals[k]);
      for (const name of ['fill', 'stroke', 'stroke-width', 'stroke-dasharray', 'stroke-opacity', 'opacity', 'font']) {
        const value = style.getPropertyValue(name);
        if (value !== '') element.setAttribute(name, value);
      }
    });
    copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
    copy.removeAttribute('style');
    return new XMLSerializer().serializeToString(copy);
  }

  rowElement(r) {
    const row = this.places.rows[r];
    const { app } = this;
    const { run } = app.model;
    const i = row.operation;
    const classes = ['row'];
    if (row.folded) classes.push('folded');
    if (app.scene.dims(row)) classes.push('dim');
    const number = numberOf(run, i);
    const faults = run.faults.filter((fault) => number >= fault.start && number <= fault.end);
    if (faults.length > 0 && !isDrain(run, i)) classes.push('in-fault');
    const element = h('div', {
      class: classes.join(' '), role: 'row', id: `row-${r}`, 'data-row': r, 'aria-rowindex': r + 2,
      'aria-selected': app.selection?.operation === i && !row.folded ? 'true' : 'false',
    });
    element.style.top = `${this.places.tops[r]}px`;
    const mark = h('span', { class: 'cone' });
    if (app.selection && app.selection.event !== NONE && row.event !== NONE) {
      const cone = CONE[app.selection.cone.of[row.event]];
      if (cone) mark.append(cone[0], h('span', { class: 'sr' }, ` ${cone[1]} `));
      else mark.append('\u25c9');
    }
    const lanes = h('div', { role: 'gridcell' });
    lanes.style.width = `${this.places.width - NUMBER}px`;
    lanes.style.flex = 'none';
    element.append(
      h('div', { class: 'num', role: 'gridcell' }, mark, row.folded ? `${row.from}\u2013${row.to}` : String(number)),
      lanes, row.folded ? this.foldNote(row) : this.note(row, faults));
    return element;
  }

  foldNote(row) {
    return h('div', { class: 'note', role: 'gridcell' },
      `${plural(row.folded, 'operation')} folded (click to unfold)`);
  }

  note(row, faults) {
    const { app } = this;
    const { model } = app;
    const { run, line } = model;
    const i = row.operation;
    const note = h('div', { class: 'note', role: 'gridcell' });
    if (app.options.raw) {
      note.append(h('code', null, app.rawLine(i)));
      return note;
    }
    if (row.event !== NONE) note.append(h('span', { class: 'sym' }, eventSymbol(run, line, row.event)));
    note.append(`${clientName(run, run.client[i])} ${deed(run, i)}`);
    if (run.topics.length > 1) note.append(` on ${topicName(run, run.topic[i])}`);
    for (const fault of faults) {
      if (app.firstRowOf(fault) !== i) continue;
      note.append(h('span', { class: 'chip' }, `${fault.kind}${fault.target ? ` of ${fault.target}` : ''} begins`));
    }
    for (const leave of run.leaves) {
      if (app.leaveRow(leave) === i) note.append(h('span', { class: 'chip' }, `${clientName(run, leave.client)} leaves`));
    }
    for (const wait of app.waitsAt(i)) {
      note.append(h('span', { class: 'chip' }, `would wait for ${eventSymbol(run, line, line.publishOf[wait.missing])}`));
    }
    if (row.event !== NONE && app.options.clauses !== 'none') this.addClauses(note, row);
    return note;
  }

  addClauses(note, row) {
    const { app } = this;
    const { run } = app.model;
    const clauses = app.model.clauses.of(row.event);
    const edges = app.conflict?.edges ?? [];
    let shown = 0;
    // The conflict's own clauses first: a cut must not hide them.
    const ranked = clauses.map((clause, k) => ({ clause, k, edge: edgeOf(edges, clause) }));
    ranked.sort((a, b) => (a.edge ? 0 : 1) - (b.edge ? 0 : 1) || a.k - b.k);
    for (const { clause, k, edge } of ranked) {
      if (app.options.clauses === 'cycle' && !edge) continue;
      if (shown++ >= CLAUSES_SHOWN && app.options.clauses !== 'all') continue;
      const holds = app.model.clauses.holds(clause);
      const classes = ['clause'];
      if (edge) classes.push('in-cycle');
      if (!holds) classes.push('false');
      note.append(h('span', {
        class: classes.join(' '), 'data-clause': k,
        id: edge ? `clause-${edge.index}` : null,
      }, `${edge ? `${edge.index} ` : ''}${clauseLabel(run, clause)}${holds ? '' : ' \u2717 FALSE'}`));
    }
    if (shown > CLAUSES_SHOWN && app.options.clauses !== 'all') {
      note.append(h('span', { class: 'clause' }, `+${shown - CLAUSES_SHOWN} more`));
    }
    if (clauses.cut) note.append(h('span', { class: 'clause' }, 'and more: too many pairs to list'));
  }

  rowFrom(event) {
    const element = event.target.closest?.('.row');
    if (element) return Number(element.dataset.row);
    if (!event.target.closest?.('svg.lanes')) return NONE;
    return this.rowAtY(event.clientY - this.body.getBoundingClientRect().top); // on an edge, over a row
  }

  clicked(event) {
    const r = this.rowFrom(event);
    if (r === NONE) return;
    this.grid.focus({ preventScroll: true });
    if (this.places.rows[r].folded) this.events.toggleFold(r);
    else this.events.select(r);
  }

  hovered(event) {
    this.lightClause(event.target.closest?.('[data-edge]')?.dataset.edge ?? null);
    const r = this.rowFrom(event);
    if (r === NONE) return;
    const row = this.places.rows[r];
    const clause = event.target.closest?.('[data-clause]');
    const lit = clause && row.event !== NONE
      ? this.app.model.clauses.of(row.event)[Number(clause.dataset.clause)] : null;
    this.events.light(lit, row.folded ? null : row);
  }

  /** The clause of an edge of the conflict that the pointer is on. */
  lightClause(index) {
    for (const element of this.body.querySelectorAll('.clause.lit')) element.classList.remove('lit');
    if (index !== null) this.body.querySelector(`#clause-${index}`)?.classList.add('lit');
  }

  markActive() {
    for (const element of this.body.querySelectorAll('.row.active')) element.classList.remove('active');
    const active = this.body.querySelector(`#row-${this.app.active}`);
    if (active) {
      active.classList.add('active');
      this.grid.setAttribute('aria-activedescendant', active.id);
    } else {
      this.grid.removeAttribute('aria-activedescendant');
    }
  }

  /** Scrolls so that the row is in view, in the middle when it was not. */
  reveal(r, center = false) {
    const y = this.places.tops[r];
    const head = this.headRow.offsetHeight || 34;
    const height = this.scroller.clientHeight - head;
    const top = this.scroller.scrollTop;
    if (center || y < top || y + ROW > top + height) {
      this.scroller.scrollTop = Math.max(0, y - height / 2);
    }
    this.draw();
    if (!this.body.querySelector(`#row-${r}`)) this.draw(true);
    this.markActive();
  }
}

export function edgeOf(edges, clause) {
  return edges.find((edge) => edge.why === clause.why && edge.beforeEvent === clause.beforeEvent &&
    edge.afterEvent === clause.afterEvent && edge.learnedAt === clause.learnedAt);
}
