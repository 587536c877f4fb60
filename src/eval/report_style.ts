/** The style of `report.html`: one column, light or dark as the reader's system says. */

/** A colour for areas, for bars and for curves. */
function colour(n: number): string {
  return `.c${n} { fill: var(--c${n}); background: var(--c${n}); }
.chart .s${n} .ct-bar, .chart .s${n} .ct-line { stroke: var(--c${n}); }`;
}

/** Goes after Chartist's own style, of which it changes colours, sizes and dashes. */
export const STYLE = `
:root { color-scheme: light dark; --paper: #fff; --ink: #1c1e21; --soft: #5b6168; --line: #d9dce0;
  --c1: #2f6db5; --c2: #d98a00; --c3: #12876f; --c4: #b4568f; --c5: #c4501a; --c6: #6b6fc9; --c7: #5b6168; }
@media (prefers-color-scheme: dark) { :root { --paper: #15171a; --ink: #e6e8ea; --soft: #9aa2ab;
  --line: #32373d; --c1: #6fa8e8; --c2: #f0b24a; --c3: #4cc3a7; --c4: #e08dc0; --c5: #f08a5d;
  --c6: #a3a7f5; --c7: #9aa2ab; } }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 46rem; margin: 0 auto; padding: 1rem; }
h1 { margin: .5rem 0; font-size: 1.6rem; } h2 { margin: 2rem 0 .25rem; font-size: 1.15rem; }
p { margin: .25rem 0 .75rem; color: var(--soft); }
.simulated { border-left: 4px solid var(--c2); padding-left: .75rem; color: var(--ink); }
svg { display: block; width: 100%; height: auto; overflow: visible; }
svg[role] text { font: 13px system-ui, sans-serif; fill: var(--ink); }
svg[role] .label { text-anchor: end; } svg[role] .note { fill: var(--soft); }
svg[role] .axis { font-size: 11px; fill: var(--soft); }
.whisker { fill: none; stroke: var(--ink); stroke-width: 1.5; }
.grid { stroke: var(--line); } .stream { fill: var(--c1); opacity: .25; }
.bytes { stroke: var(--c1); } .closed { stroke: var(--ink); stroke-width: 1.5; }
.wait { stroke: var(--soft); stroke-dasharray: 2 2; fill: none; }
${[1, 2, 3, 4, 5, 6, 7].map(colour).join("\n")}
.chart { min-height: 3rem; } .chart .ct-label { color: var(--ink); font-size: 13px; overflow: visible; overflow-wrap: anywhere; }
.chart .ct-label.ct-vertical { padding-right: 8px; } .chart .ct-label.ct-horizontal { color: var(--soft); }
.chart foreignObject { overflow: visible; }
.chart .ct-grid { stroke: var(--line); stroke-dasharray: none; }
.chart .ct-bar { stroke-width: 16px; } .chart .ct-line { stroke-width: 3px; }
.chart .note { font: 13px system-ui, sans-serif; fill: var(--soft); }
.chart .s2 .ct-line { stroke-dasharray: 7 4; } .chart .s3 .ct-line { stroke-dasharray: 11 9; }
.chart .s5 .ct-line { stroke-dasharray: 8 5; } .chart .s6 .ct-line { stroke-dasharray: 14 6; }
.chart .s7 .ct-line { stroke-dasharray: 3 4; }
.legend span { margin-right: 1rem; white-space: nowrap; }
.legend i { display: inline-block; width: .8rem; height: .8rem; margin-right: .35rem; border-radius: 2px; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; font-size: .85rem; margin: .5rem 0; }
th, td { padding: .25rem .6rem; border-bottom: 1px solid var(--line); text-align: left; white-space: nowrap; }
td:last-child { white-space: normal; min-width: 6rem; }
@media (max-width: 34rem) { svg[role] text, svg[role] .axis { font-size: 19px; } }
details { margin: .5rem 0; } summary { cursor: pointer; color: var(--soft); }
`;
