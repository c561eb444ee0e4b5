// The whole run in one screen height. Decorative: what it shows is in the rows.
import { h } from './dom.js';

export class Overview {
  constructor(app, jump) {
    this.app = app;
    this.canvas = h('canvas', { class: 'strip', 'aria-hidden': 'true', title: 'The whole run; click to go there' });
    this.canvas.addEventListener('click', (event) => {
      const { rows } = app.timeline.places;
      jump(Math.min(rows.length - 1, Math.floor(event.offsetY / this.canvas.clientHeight * rows.length)));
    });
  }

  draw() {
    const { canvas, app } = this;
    const { places, scroller, window: shown } = app.timeline;
    const width = canvas.clientWidth || 26;
    const height = canvas.clientHeight || 400;
    const scale = window.devicePixelRatio || 1;
    canvas.width = width * scale;
    canvas.height = height * scale;
    const pen = canvas.getContext('2d');
    pen.scale(scale, scale);
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(name).trim();
    const count = Math.max(1, places.rows.length);
    const at = (row) => row / count * height;
    const { run } = app.model;
    pen.fillStyle = colour('--rule');
    const faultEnd = (fault) => (fault.end === Infinity ? count : places.rowAt(fault.end));
    for (const fault of run.faults) {
      pen.fillRect(2, at(places.rowAt(fault.start)), 8, Math.max(2, at(faultEnd(fault)) - at(places.rowAt(fault.start))));
    }
    pen.fillStyle = colour('--line');
    for (const strip of app.scene.holdStrips) {
      const to = strip.to === Infinity ? count : strip.to;
      pen.fillRect(18, at(strip.from), 4, Math.max(2, at(to) - at(strip.from)));
    }
    for (const i of app.conflict?.operations ?? []) {
      const row = places.rowOf[i];
      if (row < 0) continue;
      pen.fillStyle = colour(i === app.conflict.opensAt ? '--broken' : '--cycle');
      pen.fillRect(10, at(row) - 1, i === app.conflict.opensAt ? 14 : 9, 3);
    }
    pen.strokeStyle = colour('--ink');
    pen.lineWidth = 1;
    const top = scroller.scrollTop / Math.max(1, scroller.scrollHeight) * height;
    const part = scroller.clientHeight / Math.max(1, scroller.scrollHeight) * height;
    if (shown[0] >= 0) pen.strokeRect(1.5, top + 0.5, width - 3, Math.max(3, Math.min(height - top - 1, part)));
  }
}
