// The live view: the report's renderer, fed record by record, with an inspector for each client.
import { NONE } from '../model/run.js';
import { CONCURRENT, FUTURE, PAST, clockOf, relation } from '../model/clocks.js';
import { LiveBlock, recordWords } from '../model/live_block.js';
import { clientName, eventSymbol, plural, visible } from '../model/words.js';
import { App } from './app.js';
import { h } from './dom.js';

const SPEEDS = ['0.25', '0.5', '1', '2', '4', '10', '50'];
const LOG_MAX = 100;

export class Live {
  constructor(data, root, runRoot) {
    this.data = data;
    this.live = new LiveBlock();
    this.follow = true;
    this.playing = true;
    this.soFar = null;
    this.log = h('ol', { class: 'log', role: 'log', 'aria-label': 'Queues and faults' });
    this.head = h('header', { class: 'verdict' });
    this.notice = h('p', { class: 'words', role: 'status' });
    this.cards = h('div', { class: 'cards' });
    this.controls = this.makeControls();
    root.append(this.head, this.controls, this.notice, this.cards,
      h('details', { open: true }, h('summary', null, 'Queues and faults'), this.log));
    this.app = new App({ version: 1, grounding: 'happened-before', runs: [this.live.snapshot()] }, runRoot, true);
    this.connect();
    this.draw();
  }

  makeControls() {
    const button = (text, onclick) => h('button', { type: 'button', onclick }, text);
    this.pauseButton = button('pause', () => this.pause(this.playing));
    this.saveButton = button('save as artifact', () => this.send({ do: 'save' }));
    this.followButton = button('follow', () => {
      this.follow = !this.follow;
      this.followButton.setAttribute('aria-pressed', String(this.follow));
    });
    this.followButton.setAttribute('aria-pressed', 'true');
    const speed = h('select', { 'aria-label': 'Speed', onchange: () => this.send({ do: 'speed', value: Number(speed.value) }) },
      ...SPEEDS.map((value) => h('option', { value, selected: value === '1' }, `${value}\u00d7`)));
    this.speedBox = speed;
    this.seedBox = h('input', { type: 'number', min: 0, step: 1, value: this.data.seed, 'aria-label': 'Seed' });
    this.scenarioBox = h('select', { 'aria-label': 'Scenario' },
      ...this.data.scenarios.map((name, k) => h('option', { value: name, selected: k === 0 }, visible(name))),
      h('option', { value: '' }, 'a run from the seed'));
    this.faultBoxes = this.data.faults.map((name) => h('input', { type: 'checkbox', value: name, id: `fault-${name}` }));
    const faults = this.faultBoxes.length === 0 ? null : h('details', null, h('summary', null, 'faults'),
      h('span', { class: 'toolbar' }, ...this.faultBoxes.map((box) => h('label', null, box, box.value))));
    return h('div', { class: 'toolbar', role: 'toolbar', 'aria-label': 'The run' },
      this.pauseButton, button('step', () => { this.pause(true); this.send({ do: 'step' }); }),
      h('label', null, 'speed', speed), this.followButton,
      this.data.scenarios.length > 0 ? h('label', null, 'scenario', this.scenarioBox) : null,
      h('label', null, 'seed', this.seedBox), faults, button('run', () => this.open()), this.saveButton);
  }

  connect() {
    this.socket = new WebSocket(`ws://${location.host}/live`);
    this.socket.addEventListener('message', (event) => this.take(JSON.parse(event.data)));
    this.socket.addEventListener('close', () => {
      this.notice.replaceChildren('The connection ended. ',
        h('button', { type: 'button', onclick: () => { this.notice.replaceChildren(); this.connect(); } }, 'connect again'));
    });
  }

  send(command) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(command));
  }

  pause(paused) {
    this.playing = !paused;
    this.pauseButton.textContent = paused ? 'play' : 'pause';
    this.send({ do: paused ? 'pause' : 'play' });
  }

  open() {
    const seed = Number(this.seedBox.value);
    if (!Number.isSafeInteger(seed) || seed < 0) {
      this.notice.textContent = 'A seed is a whole number, 0 or more.';
      return;
    }
    this.send({
      do: 'open', seed, scenario: this.data.scenarios.length > 0 ? this.scenarioBox.value : '',
      faults: this.faultBoxes.filter((box) => box.checked).map((box) => box.value),
    });
  }

  take(record) {
    if (record.type === 'refused') {
      this.notice.textContent = `Refused: ${visible(record.why)}`;
      return;
    }
    if (record.type === 'saved') {
      this.notice.textContent = `Saved. Again: causalcheck replay ${visible(record.folder)}`;
      return;
    }
    if (record.type === 'run') {
      this.log.replaceChildren();
      this.notice.replaceChildren();
      this.soFar = null;
      this.endShown = false;
      this.app.selection = null;
    }
    this.live.take(record);
    if (record.so_far) this.soFar = record.so_far;
    const words = recordWords(record);
    if (words) {
      this.log.append(h('li', { class: record.type }, visible(words)));
      while (this.log.children.length > LOG_MAX) this.log.firstChild.remove();
    }
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.app.grow(this.live.snapshot(), this.follow);
      // The end of a broken run is where it broke.
      if (this.live.ended && this.follow && !this.endShown) {
        this.endShown = true;
        this.app.toConflict();
      }
      this.draw();
    });
  }

  draw() {
    const { block, ended, told } = this.live;
    const breaks = ended ? block.verdict === 'breaks' : this.soFar?.verdict === 'breaks';
    const verdict = ended ? block.verdict : `${this.soFar?.verdict ?? 'holds'} so far`;
    this.head.className = `verdict ${breaks ? 'breaks' : ended && block.verdict === 'unknown' ? 'unknown' : 'holds'}`;
    const sentence = ended ? block.violations[0]?.sentence ?? block.why
      : this.soFar?.sentence ? `${this.soFar.guarantee}: ${this.soFar.sentence}${this.soFar.pending ? ' (pending)' : ''}` : '';
    this.head.replaceChildren(
      h('h1', null, h('span', { class: 'mark', 'aria-hidden': 'true' }, breaks ? '\u2717' : '\u2713'), ` ${verdict}`),
      h('p', { class: 'sentence' }, visible(sentence)),
      h('p', { class: 'facts' }, `${visible(this.live.title)} \u00b7 ${plural(told, 'record')}${ended ? ' \u00b7 ended' : ''}`));
    this.saveButton.disabled = !ended;
    this.cards.replaceChildren(...block.clients.map((_, c) => this.card(c)));
  }

  /** One client: its clock, its relation to every other, and what it holds back. */
  card(c) {
    const { run, line, clocks } = this.app.model;
    if (c >= run.clients.length) return h('div');
    const latest = line.byClient[c].at(-1) ?? NONE;
    const parts = [h('h3', null, clientName(run, c),
      h('span', { class: 'soft' }, latest === NONE ? ' nothing yet' : ` at ${eventSymbol(run, line, latest)}`))];
    const clock = latest === NONE ? run.clients.map(() => 0) : clockOf(clocks, latest);
    parts.push(h('div', { class: 'clock' }, ...clock.map((step, k) =>
      h('span', { class: k === c ? 'own' : null }, `${clientName(run, k)} ${step}`))));
    if (latest !== NONE) {
      const words = run.clients.map((_, other) => this.relationWords(c, latest, other)).filter(Boolean);
      parts.push(h('p', { class: 'soft' }, `${words.join('; ')}.`));
    }
    const queue = this.live.queues.get(run.clients[c]) ?? [];
    if (queue.length > 0) {
      const oldest = this.live.told - queue[0].since;
      parts.push(h('p', { class: 'queue' }, `Holds ${plural(queue.length, 'message')}, the oldest for ${plural(oldest, 'record')}:`),
        h('ul', null, ...queue.map(({ message, blockedBy }) => h('li', null,
          visible(`${message} waits for ${blockedBy.process}: needs ${blockedBy.needed}, has ${blockedBy.present}`)))));
    }
    return h('section', { class: `card${queue.length > 0 ? ' holding' : ''}`, 'aria-label': clientName(run, c) }, ...parts);
  }

  relationWords(c, latest, other) {
    const { run, line, clocks } = this.app.model;
    if (other === c) return null;
    const theirs = line.byClient[other].at(-1) ?? NONE;
    const name = clientName(run, other);
    if (theirs === NONE) return `${name} did nothing yet`;
    return {
      [PAST]: `knows all that ${name} did`, [FUTURE]: `${name} knows all that it did`,
      [CONCURRENT]: `concurrent with ${name}`,
    }[relation(line, clocks, latest, theirs)];
  }
}
