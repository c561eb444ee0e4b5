// The clauses each event adds, as the live annotation lists them (checker/annotate.cc). Made for the
// rows that are looked at, and not before.
import { NONE, isDrain, isObservation } from './run.js';
import { happensBefore } from './clocks.js';

/** Pairs looked at for one row; what is beyond is not listed, and the row says so. */
export const PAIRS_MAX = 400000;

const COUNTED_MAX = 2000;

export class Clauses {
  constructor(run, line, clocks, grounding) {
    this.run = run;
    this.line = line;
    this.clocks = clocks;
    this.literal = grounding === 'instrumentation';
    this.cache = new Map();
    this.byClient = null;
  }

  /** The clauses event `e` adds; `.cut` when there were too many pairs to look at. */
  of(e) {
    let clauses = this.cache.get(e);
    if (!clauses) {
      clauses = this.make(e);
      if (this.cache.size > 5000) this.cache.clear();
      this.cache.set(e, clauses);
    }
    return clauses;
  }

  /** How many clauses there are up to and with event `e`; null where counting would take long. */
  soFar(e) {
    if (this.line.count > COUNTED_MAX) return null;
    this.counts ??= [];
    for (let k = this.counts.length; k <= e; ++k) {
      this.counts.push((k === 0 ? 0 : this.counts[k - 1]) + this.of(k).length);
    }
    return this.counts[e];
  }

  /** Whether the recorded order agrees with the clause; a start of a timeline precedes everything. */
  holds(clause) {
    return clause.beforeNumber < clause.afterNumber;
  }

  make(e) {
    const { line } = this;
    const own = line.client[e];
    let p = line.previous[e];
    while (p !== NONE && !line.leadsOn[p]) p = line.previous[p];
    const start = { client: own, step: 0 };
    const clauses = [this.clause(1, p, e, e, start)];
    if (!line.isPublish[e] && line.publishOf[line.message[e]] !== NONE) {
      const m = line.message[e];
      clauses.push(this.clause(2, line.publishOf[m], e, e));
      this.addObservedOrder(e, clauses);
    }
    return clauses;
  }

  clause(why, before, after, learnedAt, start = null) {
    const { line } = this;
    return {
      why,
      before: before === NONE ? start : { client: line.client[before], step: line.step[before] },
      after: { client: line.client[after], step: line.step[after] },
      beforeEvent: before,
      afterEvent: after,
      beforeNumber: before === NONE ? 0 : line.number[before],
      afterNumber: line.number[after],
      learnedAt,
      learnedFrom: line.operation[learnedAt],
    };
  }

  addObservedOrder(e, clauses) {
    const { line, clocks } = this;
    const read = line.operation[e];
    const m = line.message[e];
    const budget = { left: PAIRS_MAX };
    const publish = line.publishOf[m];
    for (const w of this.countedFor(read, budget)) {
      if (--budget.left < 0) break;
      if (w === m || !this.speaksOf(w, m, clocks)) continue;
      clauses.push(this.clause(3, line.publishOf[w], publish, e));
    }
    if (budget.left < 0) clauses.cut = true;
  }

  speaksOf(w, m, clocks) {
    const { run, line } = this;
    const sendW = line.facts.send[w];
    const sendM = line.facts.send[m];
    if (sendW === NONE || sendM === NONE) return false; // left out of the page
    if (run.declared.level === 'total') {
      return this.literal || run.topic[sendW] === run.topic[sendM] || run.declared.scope === 'all';
    }
    if (run.declared.level === 'fifo' && run.client[sendW] !== run.client[sendM]) return false;
    const pw = line.publishOf[w];
    const pm = line.publishOf[m];
    return happensBefore(line, clocks, pw, pm) || happensBefore(line, clocks, pm, pw);
  }

  /** The client's operations that can count, by their return. */
  ownOperations(client) {
    if (!this.byClient) {
      const { run, line } = this;
      const feed = run.declared.reads === 'feed';
      this.byClient = run.clients.map(() => []);
      for (let i = 0; i < run.count; ++i) {
        if (isDrain(run, i) || run.end[i] === Infinity) continue;
        const m = run.message[i];
        const ownAck = !feed && run.isWrite[i] && line.facts.send[m] === i && line.facts.ok[m] &&
          !line.facts.conflicted[m];
        if (ownAck || isObservation(run, line.facts, i)) this.byClient[run.client[i]].push(i);
      }
      for (const own of this.byClient) own.sort((a, b) => run.end[a] - run.end[b] || a - b);
    }
    return this.byClient[client];
  }

  /**
   * What counts as w for this read: each message once, in the order in which it came to count. On
   * another topic of a latest reader, the messages of this topic that precede it stand for it.
   */
  countedFor(read, budget) {
    const { run, line, clocks } = this;
    const feed = run.declared.reads === 'feed';
    const all = run.declared.scope === 'all';
    const limit = feed ? run.end[read] : run.start[read];
    const counted = new Set();
    for (const i of this.ownOperations(run.client[read])) {
      if (run.end[i] >= limit || budget.left < 0) break;
      if (i === read) continue;
      if (run.topic[i] === run.topic[read] || (all && feed)) {
        counted.add(run.message[i]);
        --budget.left;
        continue;
      }
      const w = line.publishOf[run.message[i]];
      if (!all || w === NONE) continue;
      for (let k = 0; k < run.messages.length; ++k) {
        if (--budget.left < 0) break;
        const send = line.facts.send[k];
        if (send === NONE || line.facts.conflicted[k] || run.topic[send] !== run.topic[read]) continue;
        if (happensBefore(line, clocks, line.publishOf[k], w)) counted.add(k);
      }
    }
    return counted;
  }
}
