/** The script of `report.html`: draws each place of a chart with Chartist, which stands before it in the page. */
/* global Chartist, document, matchMedia */
(function () {
  const COLOURS = 7;
  const ROW = 30;
  const AXIS = 26;
  const WIDE = 34 * 16;
  const QUARTERS = [0, 0.25, 0.5, 0.75, 1];

  /** The least of 1, 2, 2.5 and 5 times a power of ten that reaches `top` in at most five steps. */
  function niceStep(top) {
    const unit = 10 ** Math.floor(Math.log10(top / 5));
    return unit * [1, 2, 2.5, 5, 10].find((it) => it * unit * 5 >= top);
  }

  function ticksTo(top) {
    const step = niceStep(top);
    const count = Math.ceil(top / step - 1e-9);
    return Array.from({ length: count + 1 }, (_, i) => i * step);
  }

  function percent(share) {
    return `${Math.round(share * 100)} %`;
  }

  function figure(value) {
    return value >= 10_000 ? `${value / 1000} k` : String(Number(value.toPrecision(6)));
  }

  /** Each series of a bar, beginning at the last label, since Chartist counts from the bottom. */
  function barData({ labels, series }) {
    return {
      labels: labels.toReversed(),
      series: series.map(({ name, values }, i) => ({
        name,
        className: `s${i % COLOURS + 1}`,
        data: values.toReversed(),
      })),
    };
  }

  function highest({ labels, series }) {
    const totals = labels.map((_, i) => series.reduce((sum, it) => sum + it.values[i], 0));
    return Math.max(...totals) || 1;
  }

  function drawBars(place, spec) {
    const narrow = place.clientWidth < WIDE;
    const long = spec.labels.some((it) => it.length > 14);
    const ticks = spec.shares ? QUARTERS : ticksTo(highest(spec));
    const chart = new Chartist.BarChart(place, barData(spec), {
      horizontalBars: true,
      stackBars: true,
      low: 0,
      high: ticks.at(-1),
      height: (long ? 1.5 : 1) * ROW * spec.labels.length + AXIS,
      chartPadding: { top: 2, right: narrow ? 84 : 110, bottom: 0, left: 0 },
      axisX: {
        type: Chartist.FixedScaleAxis,
        ticks: narrow ? ticks.filter((_, i) => i % 2 === 0) : ticks,
        offset: AXIS,
        labelInterpolationFnc: spec.shares ? percent : figure,
      },
      axisY: { offset: narrow && !long ? 92 : 150, showGrid: false },
    });
    chart.on("draw", (part) => {
      if (part.type === "bar") finishBar(part, spec, ticks.at(-1));
    });
  }

  /** Adds what Chartist doesn't draw: a title, the whisker, and the figure at the end of the last part. */
  function finishBar(part, spec, top) {
    const index = spec.labels.length - 1 - part.index;
    const { name, values } = spec.series[part.seriesIndex];
    const value = spec.shares ? percent(values[index]) : figure(values[index]);
    part.element.elem("title").text(`${spec.labels[index]}, ${name}: ${value}`);
    if (part.seriesIndex < spec.series.length - 1) return;
    const { x1, x2 } = part.chartRect;
    const at = (it) => x1 + (x2 - x1) * it / top;
    const span = spec.spans?.[index];
    if (span) {
      const path = `M${at(span[0])} ${part.y1 - 5}v10m0-5H${at(span[1])}m0-5v10`;
      part.group.elem("path", { d: path }, "whisker");
    }
    const x = Math.max(part.x2, span ? at(span[1]) : 0) + 6;
    part.group.elem("text", { x, y: part.y1 + 4 }, "note").text(spec.notes[index]);
  }

  function drawCurves(place, spec) {
    new Chartist.LineChart(place, {
      series: spec.curves.map(({ name, shares }, i) => ({
        name,
        className: `s${i % COLOURS + 1}`,
        data: shares.map((y, x) => ({ x, y })),
      })),
    }, {
      low: 0,
      high: 1,
      height: 300,
      showPoint: false,
      lineSmooth: Chartist.Interpolation.step(),
      chartPadding: { top: 12, right: 40, bottom: 0, left: 0 },
      axisX: {
        type: Chartist.FixedScaleAxis,
        ticks: QUARTERS.map((it) => it * 100),
        low: 0,
        high: 100,
        offset: AXIS,
        labelInterpolationFnc: (x) => `${x} %`,
      },
      axisY: {
        type: Chartist.FixedScaleAxis,
        ticks: [...QUARTERS],
        low: 0,
        high: 1,
        offset: 52,
        labelInterpolationFnc: percent,
      },
    });
  }

  for (const place of document.querySelectorAll(".chart")) {
    const spec = JSON.parse(place.dataset.chart);
    if (spec.kind === "bars") drawBars(place, spec);
    else drawCurves(place, spec);
  }
})();
