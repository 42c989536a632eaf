/** The style sheet of all pages. The content security policy permits it by its hash. */
export const FRAME_STYLE = `
:root { color-scheme: light dark; --bg: #f5f6f8; --panel: #fff; --sunk: #f0f2f5; --text: #18202c; --quiet: #566173;
  --line: #dde2e9; --link: #0a58a8; --good: #14673a; --good-bg: #dcf2e4; --busy: #7a4f00; --busy-bg: #fbeecb;
  --bad: #a11c1c; --bad-bg: #fbe1df; --one: #2b6cb0; --two: #b7621b; --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
@media (prefers-color-scheme: dark) { :root { --bg: #0f1319; --panel: #171c24; --sunk: #12171e; --text: #e2e7ee;
  --quiet: #97a3b4; --line: #29313c; --link: #82bbf8; --good: #7cd49e; --good-bg: #14321e; --busy: #efc663;
  --busy-bg: #372b0e; --bad: #ff9b93; --bad-bg: #411b19; --one: #6fb1f5; --two: #f0a35e; } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body { margin: 0; background: var(--bg); color: var(--text); font: 14px/1.5 system-ui, -apple-system, "Segoe UI", sans-serif; }
.skip { position: absolute; left: -999rem; }
.skip:focus { left: .5rem; top: .5rem; z-index: 2; padding: .4rem .8rem; background: var(--panel); }
.top { background: var(--panel); border-bottom: 1px solid var(--line); }
.top > div, main { max-width: 84rem; margin: 0 auto; padding: 0 1.25rem; }
.top > div { display: flex; flex-wrap: wrap; align-items: center; gap: 0 1.25rem; }
.brand { font-size: 15px; font-weight: 650; letter-spacing: -.01em; padding: .7rem 0; color: var(--text); }
nav { display: flex; flex-wrap: wrap; gap: 0 .15rem; }
nav a { padding: .7rem .65rem; color: var(--quiet); border-bottom: 2px solid transparent; margin-bottom: -1px; }
nav a:hover { color: var(--text); text-decoration: none; }
nav a[aria-current] { color: var(--text); border-color: var(--link); font-weight: 550; }
.build { margin-left: auto; color: var(--quiet); font-size: 12px; }
.live { display: inline-block; width: .5rem; height: .5rem; margin-right: .4rem; border-radius: 50%; background: var(--quiet); }
.live.on { background: #2ea862; }
main { padding-top: 1.25rem; padding-bottom: 4rem; }
h1 { font-size: 1.35rem; line-height: 1.3; margin: 0 0 .25rem; letter-spacing: -.01em; overflow-wrap: anywhere; }
h2 { font-size: 1rem; margin: 2rem 0 .6rem; }
h2 small { color: var(--quiet); font-weight: 400; font-size: 13px; margin-left: .4rem; }
h3 { font-size: .9rem; margin: 1.25rem 0 .4rem; }
p { margin: 0 0 .5rem; max-width: 60rem; }
a { color: var(--link); text-decoration: none; }
a:hover { text-decoration: underline; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: 2px; }
bdi { overflow-wrap: anywhere; }
code, pre, .id { font: 12px/1.5 var(--mono); overflow-wrap: anywhere; }
pre { margin: 0 0 .4rem; padding: .7rem .9rem; overflow: auto; max-height: 36rem; background: var(--sunk); border: 1px solid var(--line);
  border-radius: .4rem; white-space: pre; tab-size: 2; }
pre.wrap { white-space: pre-wrap; overflow-wrap: anywhere; }
.crumb { color: var(--quiet); font-size: 13px; margin: 0 0 .3rem; }
.lead { display: flex; flex-wrap: wrap; align-items: center; gap: .4rem .8rem; margin-bottom: 1rem; }
.lead h1 { margin: 0; }
.quiet, .empty, time, .unit { color: var(--quiet); }
.empty { padding: .9rem 1rem; border: 1px dashed var(--line); border-radius: .5rem; max-width: none; }
.note { padding: .5rem .9rem; border-left: 3px solid var(--line); color: var(--quiet); }
.sign { white-space: nowrap; margin-right: .5rem; }
.badge { display: inline-block; padding: .05rem .55rem; border-radius: 1rem; font-size: 12px; font-weight: 600; white-space: nowrap;
  background: var(--sunk); color: var(--quiet); }
.good { color: var(--good); background: var(--good-bg); }
.busy { color: var(--busy); background: var(--busy-bg); }
.bad { color: var(--bad); background: var(--bad-bg); }
.reason { color: var(--bad); font-size: 13px; overflow-wrap: anywhere; margin: .2rem 0 0; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); gap: .6rem; margin: 0; padding: 0; list-style: none; }
.card { display: flex; flex-direction: column; height: 100%; padding: .7rem .9rem; border: 1px solid var(--line);
  border-radius: .5rem; background: var(--panel); color: var(--text); }
a.card:hover { border-color: var(--link); text-decoration: none; }
.card strong { font-size: 1.45rem; line-height: 1.25; font-weight: 600; font-variant-numeric: tabular-nums; }
.card span { color: var(--quiet); font-size: 13px; }
.card.busy, .card.bad { background: var(--panel); }
.card.busy { border-color: var(--busy); } .card.busy strong { color: var(--busy); }
.card.bad { border-color: var(--bad); } .card.bad strong { color: var(--bad); }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(22rem, 100%), 1fr)); gap: .6rem; margin-top: .6rem; }
figure { margin: 0; padding: .7rem .9rem .6rem; border: 1px solid var(--line); border-radius: .5rem; background: var(--panel); }
figcaption { display: flex; flex-wrap: wrap; gap: .1rem .9rem; align-items: baseline; font-size: 13px; color: var(--quiet); }
figcaption b { color: var(--text); font-weight: 600; }
figcaption i { font-style: normal; } figcaption i::before { content: ""; display: inline-block; width: .8rem; height: .2rem; margin-right: .35rem;
  vertical-align: middle; border-radius: 1px; background: currentColor; }
.one { color: var(--one); } .two { color: var(--two); }
figure svg { display: block; width: 100%; height: 6.5rem; margin: .4rem 0 .15rem; overflow: visible; }
svg .grid { stroke: var(--line); stroke-width: 1; }
svg .line { fill: none; stroke: currentColor; stroke-width: 1.75; stroke-linejoin: round; stroke-linecap: round; }
svg .area { fill: currentColor; opacity: .13; }
.axis { display: flex; justify-content: space-between; font-size: 11px; color: var(--quiet); font-variant-numeric: tabular-nums; }
.scroll { overflow-x: auto; }
table { width: 100%; border-collapse: separate; border-spacing: 0; border: 1px solid var(--line); border-radius: .5rem;
  background: var(--panel); }
th, td { padding: .42rem .8rem; text-align: left; vertical-align: top; border-top: 1px solid var(--line); }
thead th { border-top: 0; color: var(--quiet); font-size: 12px; font-weight: 550; white-space: nowrap; }
tbody th { font-weight: 400; }
tbody tr:hover > * { background: color-mix(in srgb, var(--link) 5%, transparent); }
td.num, th.num { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td > p { margin: 0; }
.short { white-space: nowrap; }
.name { font-weight: 600; }
.id { color: var(--quiet); }
time { white-space: nowrap; }
.links a { margin-right: .6rem; white-space: nowrap; }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .3rem 1.2rem; margin: 0; padding: .7rem .9rem;
  border: 1px solid var(--line); border-radius: .5rem; background: var(--panel); }
dt { color: var(--quiet); } dd { margin: 0; overflow-wrap: anywhere; }
ul.plain { margin: 0; padding: 0; list-style: none; }
ol.steps { margin: 0; padding: 0 0 0 1.2rem; } ol.steps li { margin-bottom: .35rem; }
form { display: flex; flex-wrap: wrap; align-items: center; gap: .45rem; margin: .35rem 0; }
form.filter { margin: 0 0 .8rem; }
input, button, select, textarea { font: inherit; padding: .3rem .6rem; border: 1px solid var(--line); border-radius: .35rem;
  background: var(--panel); color: var(--text); max-width: 100%; }
input:not([type=checkbox]) { flex: 0 1 22rem; min-width: 0; width: 100%; }
textarea { flex: 1 1 100%; font-family: var(--mono); font-size: 12px; }
select { flex: 0 1 auto; }
label { color: var(--quiet); font-size: 13px; display: flex; flex-wrap: wrap; gap: .2rem .5rem; align-items: center; }
label:has(textarea) { flex: 1 1 100%; }
button { cursor: pointer; color: var(--link); background: var(--panel); }
button:hover { border-color: var(--link); }
td form { margin: .15rem 0; } td input, td button { padding: .1rem .5rem; font-size: 13px; }
details { margin: .4rem 0; } td details { margin: 0; } td details > summary { padding: 0; } summary { cursor: pointer; padding: .2rem 0; overflow-wrap: anywhere; }
details pre { margin-top: .4rem; }
ins, del { text-decoration: none; display: block; min-width: max-content; }
ins { background: var(--good-bg); color: var(--good); } del { background: var(--bad-bg); color: var(--bad); }
ins::before { content: "+ "; } del::before { content: "- "; } .same::before { content: "  "; } .same { display: block; min-width: max-content; }
.gap { display: block; color: var(--quiet); }
.map { table-layout: auto; } .map td, .map th { padding: .25rem .45rem; text-align: center; border-left: 1px solid var(--line); }
.map tbody th, .map thead th:first-child { text-align: left; border-left: 0; white-space: nowrap; }
.pager { display: flex; gap: .8rem; padding: .6rem 0; color: var(--quiet); }
/* Without a bound, a column of long texts takes the width that short words of the other columns need. */
@media (min-width: 44.01rem) { table.rows:not(.pages) :is(th, td) > div { max-width: min(46rem, 45vw); }
  .pages tbody th { width: 1%; white-space: nowrap; } }
@media (max-width: 44rem) {
  .top > div, main { padding-left: .85rem; padding-right: .85rem; }
  .brand { padding-bottom: 0; } nav { order: 3; width: 100%; margin-left: -.5rem; } nav a { padding: .45rem .5rem; }
  table.rows, table.rows tbody, table.rows tr, table.rows td, table.rows tbody th { display: block; }
  table.rows thead { position: absolute; left: -999rem; }
  table.rows tr { padding: .5rem .8rem; border-top: 1px solid var(--line); } table.rows tbody tr:first-child { border-top: 0; }
  table.rows td, table.rows tbody th { display: grid; grid-template-columns: 5.75rem minmax(0, 1fr); gap: .6rem; padding: .12rem 0; border: 0; text-align: left; white-space: normal; }
  table.rows td:empty { display: none; }
  table.rows td::before, table.rows tbody th::before { content: attr(data-label); color: var(--quiet); font-size: 12px; }
  table.rows td > *, table.rows th > * { grid-column: 2; }
  table.rows tbody th { display: block; font-weight: 600; } table.rows tbody th::before { content: none; }
  dl { grid-template-columns: minmax(0, 1fr); gap: 0; } dd { margin-bottom: .4rem; }
  .cards { grid-template-columns: repeat(2, minmax(0, 1fr)); }
  input:not([type=checkbox]) { flex: 1 1 14rem; }
}
@media (prefers-reduced-motion: no-preference) { .card { transition: border-color .12s; } }
`;
