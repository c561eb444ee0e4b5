// A run as it is told record by record (harness/live/live_run.h), kept as a block of the data that a
// report would have; and the hold-back queues.
import { NONE } from './run.js';

const OUTCOMES = { ok: 'o', fail: 'f', info: 'i' };

export class LiveBlock {
  constructor() {
    this.title = '';
    this.reset({ clients: [], topics: [], nodes: [], declared: {
      slots: 'none', reads: 'latest', level: 'causal', scope: 'topic', retries: 'none' } });
  }

  reset({ clients, topics, nodes, declared }) {
    this.messageIndex = new Map();
    this.queues = new Map(); // by process: what it holds, in order of arrival
    this.told = 0; // records
    this.ended = false;
    this.columns = {
      client: [], kind: [], outcome: [], topic: [], message: [], slot: [], start: [], span: [], session: [],
      deletes: [], undecodable: [], foreign: [],
    };
    this.block = {
      name: 'live', verdict: 'unknown', why: '', live: true, declared, clients, topics, nodes,
      messages: [], conflicted: [], faults: [], leaves: [], other: [], violations: [],
    };
  }

  message(name) {
    if (name === null) return NONE;
    let index = this.messageIndex.get(name);
    if (index === undefined) {
      index = this.block.messages.length;
      this.messageIndex.set(name, index);
      this.block.messages.push(name);
    }
    return index;
  }

  /** Takes one record in. What it does not know it passes over. */
  take(record) {
    ++this.told;
    switch (record.type) {
      case 'run':
        this.title = record.title;
        this.reset(record);
        break;
      case 'called': this.called(record); break;
      case 'returned': this.returned(record); break;
      case 'message_held': this.held(record); break;
      case 'message_delivered': this.delivered(record); break;
      case 'fault_begins': this.block.faults.push([record.fault, record.target, record.at, null]); break;
      case 'fault_ends': {
        const open = this.block.faults.find(([kind, target, , end]) =>
          kind === record.fault && target === record.target && end === null);
        if (open) open[3] = record.at;
        break;
      }
      case 'left': this.block.leaves.push([record.client, record.at]); break;
      case 'ended':
        this.ended = true;
        Object.assign(this.block, {
          verdict: record.verdict, why: record.why, violations: record.violations.map((v) => this.placed(v)),
          conflicted: record.conflicted.map((name) => this.message(name)), live: false,
        });
        break;
      default:
    }
  }

  /** Operations go by the recorder's index; their calls need not come in its order. */
  place(index) {
    this.places ??= new Map();
    return this.places.get(index);
  }

  /** A violation with operations by their place here. */
  placed(violation) {
    const at = (index) => this.place(index) ?? NONE;
    const clause = (parts) => (parts === null ? null : [...parts.slice(0, 5), at(parts[5])]);
    return {
      ...violation, operations: violation.operations.map(at), broken: clause(violation.broken),
      chain: violation.chain.map(clause),
    };
  }

  called(record) {
    const c = this.columns;
    const i = c.client.length;
    if (i === 0) this.places = new Map();
    this.places.set(record.index, i);
    c.client.push(record.client);
    c.kind.push(record.op === 'write' ? 'w' : 'r');
    c.outcome.push('i');
    c.topic.push(record.topic);
    c.message.push(this.message(record.message ?? null));
    c.slot.push(NONE);
    c.start.push(record.start);
    c.span.push(NONE);
    c.session.push(record.session ?? 1);
    if (record.delete) c.deletes.push(i);
  }

  returned(record) {
    const i = this.place(record.index);
    if (i === undefined) return;
    const c = this.columns;
    c.outcome[i] = OUTCOMES[record.outcome] ?? 'i';
    c.span[i] = record.end - c.start[i];
    c.message[i] = this.message(record.message);
    c.slot[i] = record.slot ?? NONE;
    if (record.undecodable) c.undecodable.push(i);
    if (record.foreign) c.foreign.push(i);
  }

  held(record) {
    const blocked = record.blocked_by ?? { process: '', needed: 0, present: 0 };
    if (!this.queues.has(record.at)) this.queues.set(record.at, []);
    this.queues.get(record.at).push({ message: record.message, from: record.from, blockedBy: blocked, since: this.told });
    this.block.other.push(JSON.stringify({
      held: record.message, at: record.at, from: record.from,
      blocked_by: { process: blocked.process, needs: blocked.needed, has: blocked.present }, start: record.position,
    }));
  }

  delivered(record) {
    const queue = this.queues.get(record.at) ?? [];
    const at = queue.findIndex(({ message }) => message === record.message);
    if (at >= 0) queue.splice(at, 1);
    this.block.other.push(JSON.stringify({
      released: record.message, at: record.at, by: record.by, start: record.position,
    }));
  }

  /** The run so far, as a report's data block has it. */
  snapshot() {
    const c = this.columns;
    return { ...this.block, columns: { ...c, kind: c.kind.join(''), outcome: c.outcome.join('') } };
  }
}

/** A record that says something about a queue, in words. */
export function recordWords(record) {
  if (record.type === 'message_held') {
    const { process, needed, present } = record.blocked_by ?? {};
    return `message_held: ${record.message} at ${record.at}, blocked by ${process}: needed ${needed}, present ${present}`;
  }
  if (record.type === 'message_delivered') {
    return `message_delivered: ${record.message} at ${record.at}${record.by ? `, after ${record.by}` : ', given up'}`;
  }
  if (record.type === 'fault_begins' || record.type === 'fault_ends') {
    return `${record.type}: ${record.fault}${record.target ? ` of ${record.target}` : ''}`;
  }
  return null;
}
