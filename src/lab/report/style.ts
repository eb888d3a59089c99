// The report's style sheet: light, dark and printed. Colours are variables, so that the drawings follow.

export const seriesCount = 8;

/** Class that gives a drawing element the colour of series `i`. */
export function seriesClass(i: number): string {
  return `s${i % seriesCount}`;
}

const light = ['#1f66d1', '#d9730d', '#2a8f57', '#c63d38', '#7b4fc4', '#8a6242', '#c4509a', '#6b7480'];
const dark = ['#6aa5ff', '#f39a4a', '#5cc48b', '#f0746d', '#b193f0', '#c49a78', '#ea88c4', '#a3adb8'];

const series = (colours: readonly string[]) => colours.map((colour, i) => `--s${i}:${colour};`).join('');
const seriesRules = light.map((_, i) => `.s${i}{--c:var(--s${i})}`).join('\n');

export const styleSheet = `
:root{color-scheme:light dark;--paper:#fff;--ink:#1c2126;--soft:#5b6570;--line:#dfe3e8;--panel:#f7f8fa;--band:#1c212626;--heat:31,102,209;${series(light)}}
@media (prefers-color-scheme:dark){:root{--paper:#14171a;--ink:#e6e9ec;--soft:#9aa4ae;--line:#2e343a;--panel:#1b1f23;--band:#ffffff2b;--heat:106,165,255;${series(dark)}}}
@media print{:root{--paper:#fff;--ink:#000;--soft:#444;--line:#ccc;--panel:#fff;--band:#00000026;--heat:31,102,209;${series(light)}}}
${seriesRules}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main{max-width:1080px;margin:0 auto;padding:40px 24px 64px}
h1{font-size:28px;line-height:1.2;margin:0 0 6px;letter-spacing:-.01em}
h2{font-size:19px;margin:44px 0 4px;letter-spacing:-.005em}
h3{font-size:15px;margin:18px 0 6px}
h3 .soft{font-weight:400}
p{margin:0 0 14px;max-width:74ch}
.soft{color:var(--soft)}
.facts{display:flex;flex-wrap:wrap;gap:8px 32px;margin:22px 0 8px;padding:14px 0;border-top:1px solid var(--line);border-bottom:1px solid var(--line)}
.facts div{min-width:90px}
.facts b{display:block;font-size:22px;font-weight:650;line-height:1.2;font-variant-numeric:tabular-nums}
.facts span{color:var(--soft);font-size:13px}
.legend{display:flex;flex-wrap:wrap;gap:4px 20px;margin:10px 0 12px;font-size:13.5px}
.legend span{display:inline-flex;align-items:center;gap:7px}
.legend i{width:20px;height:0;border-top:2.5px solid var(--c);border-radius:2px}
.legend .s0 i{border-top-width:4px}
.legend i.band{height:11px;border:0;background:var(--band)}
.grid{display:grid;grid-template-columns:repeat(auto-fill,minmax(248px,1fr));gap:22px 24px}
figure{margin:0;break-inside:avoid}
figcaption{font-weight:600;font-size:14px;margin-bottom:2px}
svg{display:block;width:100%;height:auto;overflow:visible}
svg text{fill:var(--soft);font:11.5px system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;font-variant-numeric:tabular-nums}
.rule{stroke:var(--line);stroke-width:1}
.band{fill:var(--band)}
.curve{fill:none;stroke:var(--c);stroke-width:1.8;stroke-linejoin:round;stroke-linecap:round}
.curve.first{stroke-width:3}
.dot{fill:var(--c);stroke:var(--paper);stroke-width:1.2}
.budget{stroke:var(--soft);stroke-width:1;stroke-dasharray:3 3}
.wide{overflow-x:auto;overflow-y:hidden}
.wide svg{min-width:600px}
.scroll{overflow-x:auto;margin:10px 0 8px}
table{border-collapse:collapse;font-size:13.5px;font-variant-numeric:tabular-nums;min-width:60%}
th,td{padding:5px 12px 5px 0;text-align:right;border-bottom:1px solid var(--line);white-space:nowrap}
th{font-weight:600;color:var(--soft);font-size:12.5px}
th:last-child,td:last-child{padding-right:0}
th.text,td.text{text-align:left}
td b{color:var(--s0);font-weight:700}
tr.sum td{border-top:2px solid var(--line);font-weight:600}
tr.group td{border-top:1.5px solid var(--soft)}
.caption{color:var(--soft);font-size:13.5px;font-weight:600;margin:18px 0 0}
details{margin:10px 0}
summary{cursor:pointer;font-weight:600}
.kept-cells{stroke:rgb(var(--heat));shape-rendering:crispEdges}
.kept{display:grid;grid-template-columns:repeat(auto-fill,minmax(200px,1fr));gap:16px 20px;margin:10px 0 26px}
footer{margin-top:48px;padding-top:14px;border-top:1px solid var(--line);color:var(--soft);font-size:13px}
@page{size:A4;margin:14mm 13mm}
@media print{
body{font-size:10.5px;-webkit-print-color-adjust:exact;print-color-adjust:exact}
main{max-width:none;padding:0}
h1{font-size:20px}h2{font-size:14px;margin-top:22px}h3{font-size:11.5px;margin:10px 0 4px}
h1,h2,h3,.legend,.caption,summary,h2+p{break-after:avoid}
.facts{flex-wrap:nowrap;gap:8px 18px;margin:12px 0 4px;padding:8px 0}
.facts div{min-width:0}.facts b{font-size:16px}.facts span{font-size:9.5px}
.legend{font-size:10px;gap:2px 12px;margin:6px 0 8px}
figcaption,.caption{font-size:10.5px}.caption{margin-top:10px}footer{font-size:9.5px;margin-top:20px}
.grid{grid-template-columns:repeat(3,1fr);gap:12px 14px}
.kept{grid-template-columns:repeat(4,1fr);gap:8px 12px;margin:4px 0 12px}
.family,details{break-inside:avoid}
.wide,.scroll{overflow:visible}.wide svg{min-width:0}.scroll{margin:4px 0}
table{font-size:9.5px;min-width:0;width:100%}th{font-size:9px}th,td{padding:2.5px 8px 2.5px 0}
tr{break-inside:avoid}
details::details-content{content-visibility:visible;display:block}
details+details{margin-top:20px}
summary{list-style:none}
}
`.trim();
