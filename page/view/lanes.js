// The lanes of the rows in view, as one SVG that is made anew whenever the view moves.
import { NONE, isDrain } from '../model/run.js';
import { eventSymbol } from '../model/words.js';
import { s } from './dom.js';

export const ROW = 34;
export const NUMBER = 74; // the column of numbers
const LANE_MIN = 60; // with room for a symbol
const LANE_MAX = 90;
const NOTE = 470; // what the annotation gets before lanes move apart
const NODE = 6.5;
const LONG = 60; // rows; operations that last longer are looked for apart

/** Where lanes and rows stand. */
export class Places {
  /** `room` is the width that lanes and annotation share. */
  constructor(model, lanes, rows, tops, room) {
    const share = (room - NUMBER - NOTE) / Math.max(1, lanes.lanes.length);
    this.lane = Math.round(Math.max(LANE_MIN, Math.min(LANE_MAX, share)));
    this.model = model;
    this.lanes = lanes;
    this.rows = rows;
    this.tops = tops;
    this.rowOf = new Int32Array(model.run.count).fill(NONE);
    this.inFold = new Set();
    rows.forEach((row, r) => {
      this.rowOf[row.operation] = r;
      for (const i of row.members ?? []) {
        this.rowOf[i] = r;
        this.inFold.add(i);
      }
    });
    this.numbers = rows.map((row) => this.numberAt(row));
    this.long = [];
    const { run } = model;
    rows.forEach((row, r) => {
      if (row.folded || isDrain(run, row.operation)) return;
      const [from, to] = this.span(row.operation, r);
      if (to - from > LONG) this.long.push(r);
    });
  }

  get width() {
    return NUMBER + this.lane * this.lanes.lanes.length + 10;
  }

  x(lane) {
    return lane === undefined ? NUMBER + 8 : NUMBER + this.lane * (lane + 0.5);
  }

  y(row) {
    return this.tops[row] + ROW / 2;
  }

  numberAt(row) {
    const { run } = this.model;
    const i = row.operation;
    if (row.folded) return row.from;
    return isDrain(run, i) ? Infinity : run.isWrite[i] || run.end[i] === Infinity ? run.start[i] : run.end[i];
  }

  /** The first row whose number is `position` or larger. */
  rowAt(position) {
    let low = 0;
    let high = this.rows.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.numbers[middle] < position) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The rows from an operation's call to its return; an open one lasts to the end of the run. */
  span(operation, row) {
    const { run } = this.model;
    const from = Math.min(row, this.rowAt(run.start[operation]));
    const end = run.end[operation];
    if (end === Infinity) return [from, Math.max(row, this.rowAt(Infinity) - 1)];
    return [from, Math.max(row, Math.min(this.rowAt(end), this.rows.length - 1))];
  }

  /** Where an event's node is, {x, y, hidden}; hidden ones stand where they would be. */
  node(event) {
    const { run, line } = this.model;
    const operation = line.operation[event];
    const lane = this.lanes.ofClient.get(run.client[operation]);
    let row = this.rowOf[operation];
    const hidden = row === NONE || lane === undefined || this.inFold.has(operation);
    if (row === NONE) row = Math.min(this.rowAt(line.number[event]), this.rows.length - 1);
    return { x: this.x(lane), y: row < 0 ? 0 : this.y(row), row, hidden };
  }

  logX(operation) {
    const lane = this.lanes.ofTopic.get(this.model.run.topic[operation]);
    return lane === undefined ? null : this.x(lane);
  }
}

const f = (n) => n.toFixed(1);

function arrow(x0, x1, y, kind) {
  const way = x1 > x0 ? 1 : -1;
  return s('path', {
    class: kind,
    d: `M${f(x0)} ${f(y)} L${f(x1)} ${f(y)} m${-way * 7} -4 l${way * 7} 4 l${-way * 7} 4`,
  });
}

/** The curve of a P3 clause from one node to another. */
function curve(a, b) {
  let bendX = (a.x + b.x) / 2 + (a.y > b.y ? -24 : 24);
  if (a.x === b.x) bendX = a.x - 64;
  const bendY = (a.y + b.y) / 2;
  const at = (t) => ({
    x: (1 - t) * (1 - t) * a.x + 2 * (1 - t) * t * bendX + t * t * b.x,
    y: (1 - t) * (1 - t) * a.y + 2 * (1 - t) * t * bendY + t * t * b.y,
  });
  // The word stands between two rows, where it covers no node: y is furthest from their middles.
  const between = (t) => Math.abs(((at(t).y % ROW) + ROW) % ROW - ROW / 2) - Math.abs(t - 0.5) * 8;
  const best = [0.5, 0.45, 0.55, 0.4, 0.6, 0.35, 0.65, 0.3, 0.7].reduce((x, y) => (between(y) > between(x) ? y : x));
  return {
    d: `M${f(a.x)} ${f(a.y)} Q${f(bendX)} ${f(bendY)} ${f(b.x)} ${f(b.y)}`,
    middle: at(best),
    angle: Math.atan2(b.y - bendY, b.x - bendX),
  };
}

function head(b, angle, kind) {
  const wing = (turn) =>
    `${f(b.x - 11 * Math.cos(angle + turn))} ${f(b.y - 11 * Math.sin(angle + turn))}`;
  return s('path', { class: kind, d: `M${wing(0.5)} L${f(b.x)} ${f(b.y)} L${wing(-0.5)}` });
}

/** The path of a P2 clause: publish, log, observation. */
function throughLog(places, a, b, operation, kind) {
  const log = places.logX(operation);
  if (log === null) return [s('path', { class: kind, d: `M${f(a.x)} ${f(a.y)} L${f(b.x)} ${f(b.y)}` })];
  const way = b.x > log ? 1 : -1;
  const tip = b.x - way * (NODE + 1);
  return [s('path', {
    class: kind,
    d: `M${f(a.x)} ${f(a.y)} L${f(log)} ${f(a.y)} L${f(log)} ${f(b.y)} L${f(tip)} ${f(b.y)} ` +
      `m${-way * 8} -4.5 l${way * 8} 4.5 l${-way * 8} 4.5`,
  })];
}

/** The lines of one clause. `kind` is a class; a broken clause is doubled, crossed and FALSE. */
function edge(places, clause, kind, label, isBroken) {
  if (clause.beforeEvent === NONE || clause.afterEvent === NONE) return [];
  const a = places.node(clause.beforeEvent);
  const b = places.node(clause.afterEvent);
  const classes = `${kind}${a.hidden || b.hidden ? ' l-hidden' : ''}`;
  const why = (x, y) => (label
    ? [s('text', { class: 'l-why', x: f(x), y: f(y), 'text-anchor': 'end' }, label)] : []);
  if (clause.why === 1) {
    return [
      s('path', { class: classes, d: `M${f(a.x)} ${f(a.y)} L${f(b.x)} ${f(b.y)}` }),
      ...why(a.x - 5, a.y + ROW / 2 + 4),
    ];
  }
  if (clause.why === 2) {
    const log = places.logX(places.model.line.operation[clause.beforeEvent]) ?? a.x;
    return [
      ...throughLog(places, a, b, places.model.line.operation[clause.beforeEvent], classes),
      ...why(log - 12, b.y - 5),
    ];
  }
  const c = curve(a, b);
  const parts = [s('path', { class: `${classes} l-dash`, d: c.d })];
  if (isBroken) {
    parts.push(s('path', { class: 'l-hollow', d: c.d }));
    const { x, y } = c.middle;
    parts.push(
      head(b, c.angle, 'l-cross'),
      s('path', { class: 'l-cross', d: `M${f(x - 6)} ${f(y - 6)} l12 12 m0 -12 l-12 12` }),
      s('text', { class: 'l-false', x: f(x - 11), y: f(y + 4), 'text-anchor': 'end' }, `${label} FALSE`),
    );
  } else {
    parts.push(head(b, c.angle, classes), ...why(c.middle.x - 8, c.middle.y + 4));
  }
  if (clause.learnedAt !== undefined && clause.learnedAt !== NONE) {
    const tick = places.node(clause.learnedAt); // the row that taught it
    parts.push(s('path', { class: classes, d: `M${f(tick.x - 15)} ${f(tick.y - 6)} l0 12` }));
  }
  return parts;
}

/**
 * The lanes of rows `first` to `last`, whose top is at `y0` and which are `height` high. `scene` has
 * conflict, selection, lit (a clause under the pointer), holds (client to show the lens of), waits.
 */
export function drawLanes(places, scene, first, last, y0, height) {
  const { model, lanes, rows } = places;
  const { run, line } = model;
  const root = s('svg', {
    class: 'lanes', 'aria-hidden': 'true', width: places.width, height,
    viewBox: `0 ${y0} ${places.width} ${height}`,
  });
  const add = (...parts) => root.append(...parts);
  const bottom = y0 + height;

  for (const lane of lanes.lanes) {
    const x = places.x(lane.index);
    let top = y0;
    if (lane.client !== NONE) {
      const [begin] = line.byClient[lane.client];
      if (begin !== undefined) top = Math.max(y0, Math.min(places.node(begin).y, bottom));
      if (incarnation(run.clients[lane.client]) < 2) top = y0;
    }
    add(s('line', { class: lane.client === NONE ? 'l-log' : 'l-lane', x1: x, x2: x, y1: top, y2: bottom }));
  }
  drawFaults(places, add, first, last);

  const near = [];
  for (let r = Math.max(0, first - LONG); r <= Math.min(rows.length - 1, last + LONG); ++r) near.push(r);
  const bars = new Set([...near, ...places.long]);
  for (const r of bars) {
    const row = rows[r];
    if (row.folded) continue;
    const i = row.operation;
    const lane = lanes.ofClient.get(run.client[i]);
    if (lane === undefined || isDrain(run, i)) continue;
    const [from, to] = places.span(i, r);
    if (to < first || from > last) continue;
    const x = places.x(lane) + 9.5;
    const isOpen = run.end[i] === Infinity || (run.isWrite[i] && run.outcome[i] === 'i');
    if (to === from && !isOpen) continue;
    const y2 = isOpen && run.end[i] === Infinity ? places.tops[to] + ROW : places.y(to);
    add(s('line', { class: isOpen ? 'l-open' : 'l-op', x1: x, x2: x, y1: places.y(from), y2 }));
  }

  for (const hold of scene.holdStrips ?? []) {
    const lane = lanes.ofClient.get(hold.client);
    if (lane === undefined) continue;
    const x = places.x(lane) - 13;
    const y1 = places.y(Math.min(hold.from, rows.length - 1));
    const y2 = hold.to === Infinity ? bottom : places.y(Math.min(hold.to, rows.length - 1));
    add(s('line', { class: hold.real ? 'l-held' : 'l-hold', x1: x, x2: x, y1, y2 }));
    if (y1 >= y0 && y1 <= bottom) {
      add(s('text', { class: 'l-why broken', x: x - 9, y: y1 + 4, 'text-anchor': 'end' }, 'H'));
    }
  }

  for (let r = first; r <= last; ++r) drawRow(places, scene, add, r);

  const { conflict, selection, lit } = scene;
  if (selection && selection.event !== NONE) {
    for (const clause of model.clauses.of(selection.event)) {
      if (clause.beforeEvent !== NONE) add(...edge(places, clause, 'l-select', `P${clause.why}`, false));
    }
  }
  if (conflict) {
    // The broken one last, over the others.
    for (const clause of [...conflict.edges].sort((a, b) => a.isBroken - b.isBroken)) {
      const [kind, label] = clause.isBroken ? ['l-broken', `P${clause.why}`] : ['l-cycle', `${clause.index} P${clause.why}`];
      add(s('g', { class: 'hit', 'data-edge': clause.index }, ...edge(places, clause, kind, label, clause.isBroken)));
    }
  }
  if (lit) add(...edge(places, lit, 'l-lit', '', false));
  for (let r = first; r <= last; ++r) drawNode(places, scene, add, r);
  return root;
}

function incarnation(label) {
  const found = /~(\d{1,9})$/.exec(label);
  return found ? Number(found[1]) : 1;
}

function drawFaults(places, add, first, last) {
  const { run } = places.model;
  for (const fault of run.faults) {
    const from = places.rowAt(fault.start);
    const to = fault.end === Infinity ? places.rows.length - 1 : places.rowAt(fault.end);
    if (to < first || from > last || from >= places.rows.length) continue;
    const y = places.tops[from];
    const end = to >= places.rows.length ? places.tops[places.rows.length - 1] + ROW : places.tops[to];
    add(s('rect', {
      x: NUMBER - 4, y, width: places.width - NUMBER, height: Math.max(3, end - y), rx: 3,
      fill: 'none', class: 'l-pass', 'stroke-dasharray': '2 3',
    }));
  }
}

/** What passes between a client and the log. */
function drawRow(places, scene, add, r) {
  const { model, lanes, rows } = places;
  const { run } = model;
  const row = rows[r];
  if (row.folded) return;
  const i = row.operation;
  const log = places.logX(i);
  if (log === null || run.message[i] === NONE || run.outcome[i] !== 'o') return;
  const y = places.y(r);
  if (isDrain(run, i)) return;
  const lane = lanes.ofClient.get(run.client[i]);
  if (lane === undefined) return;
  const x = places.x(lane);
  const way = log > x ? 1 : -1;
  const dim = scene.dims(row) ? ' l-dim' : '';
  if (run.isWrite[i]) add(arrow(x + way * NODE, log - way * 7, y, `l-pass${dim}`));
  else add(arrow(log - way * 3, x + way * (NODE + 1), y, `l-pass${dim}`));
}

function drawNode(places, scene, add, r) {
  const { model, lanes, rows } = places;
  const { run, line } = model;
  const row = rows[r];
  if (row.folded) return;
  const i = row.operation;
  const y = places.y(r);
  const dim = scene.dims(row) ? ' l-dim' : '';
  const log = places.logX(i);
  const answered = run.outcome[i] === 'o' && run.message[i] !== NONE;
  if (log !== null && answered) {
    const append = run.isWrite[i] || isDrain(run, i);
    const half = append ? 6 : 3;
    add(s('rect', { class: `l-square${dim}`, x: log - half, y: y - half, width: 2 * half, height: 2 * half }));
    if (run.slot[i] !== NONE) add(s('text', { class: `l-slot${dim}`, x: log + 10, y: y - 3 }, `#${run.slot[i]}`));
  }
  if (isDrain(run, i)) return;
  const lane = lanes.ofClient.get(run.client[i]);
  if (lane === undefined) return;
  const x = places.x(lane);
  if (row.event !== NONE) {
    if (incarnation(run.clients[run.client[i]]) >= 2 && line.previous[row.event] === NONE) {
      add(s('path', { class: `l-node full${dim}`, d: `M${x} ${y - 18} l5 5 l-5 5 l-5 -5 z` })); // restarted
    }
    const full = line.isPublish[row.event] && run.outcome[i] === 'o';
    const hollow = line.isPublish[row.event] && run.outcome[i] !== 'o';
    add(s('circle', { class: `l-node${full ? ' full' : ''}${hollow ? ' hollow' : ''}${dim}`, cx: x, cy: y, r: NODE }));
    if (run.outcome[i] === 'f') add(s('path', { class: 'l-node', d: `M${x - 4} ${y - 4} l8 8 m0 -8 l-8 8` }));
    add(s('text', { class: `l-sym${dim}`, x: x + 9, y: y - 6 }, eventSymbol(run, line, row.event).slice(0, 9)));
  } else if (run.message[i] === NONE && run.outcome[i] === 'o') {
    add(s('path', { class: `l-node${dim}`, d: `M${x - 5} ${y} l10 0` })); // found nothing
  } else if (run.outcome[i] !== 'o') {
    add(s('text', { class: `l-sym${dim}`, x: x - 3.5, y: y + 4 }, run.outcome[i] === 'f' ? 'x' : '?'));
  } else {
    add(s('circle', { class: `l-node${dim}`, cx: x, cy: y, r: 3 })); // the same again
  }
}
