// A state diagram as a picture: states one below the other in the order of their table, moves forward as arcs on the right, moves back as
// arcs on the left. What each move means is in the tables of the page.
interface Arc {
  readonly from: number;
  readonly to: number;
  readonly label: string;
}

const row = 44;
const box = { width: 190, height: 28 };

/** Draws what a `stateDiagram-v2` of Mermaid describes; undefined for another kind of diagram. */
export function statePicture(source: string): string | undefined {
  if (!source.trimStart().startsWith('stateDiagram')) return undefined;
  const moves = [...source.matchAll(/^\s*(\S+) --> (\S+?)(?:: (.*))?$/gm)].map(([, from, to, label]) => ({
    from: from!,
    to: to!,
    label: label ?? '',
  }));
  const states = [...new Set(moves.flatMap(({ from, to }) => [from, to]))].filter((name) => name !== '[*]');
  const begins = new Set(moves.filter(({ from }) => from === '[*]').map(({ to }) => to));
  const arcs = moves
    .filter(({ from, to }) => from !== '[*]' && to !== '[*]')
    .map(({ from, to, label }): Arc => ({ from: states.indexOf(from), to: states.indexOf(to), label }));
  const reach = Math.max(1, ...arcs.map(({ from, to }) => Math.abs(to - from)));
  const side = 24 + reach * 16;
  const width = 2 * side + box.width;
  const height = states.length * row + 12;
  return [
    `<svg class="states" viewBox="0 0 ${width} ${height}" width="${width}" role="img" aria-label="states and moves">`,
    '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z"/></marker></defs>',
    ...arcs.map((arc) => drawArc(arc, side)),
    ...states.map((name, index) => drawState(name, index, side, begins.has(name))),
    '</svg>',
  ].join('');
}

function drawState(name: string, index: number, left: number, begins: boolean): string {
  const y = index * row + 10;
  return `<g${begins ? ' class="begins"' : ''}><rect x="${left}" y="${y}" width="${box.width}" height="${box.height}" rx="6"/><text x="${left + box.width / 2}" y="${y + 19}" text-anchor="middle">${name}</text></g>`;
}

function drawArc({ from, to, label }: Arc, left: number): string {
  const middle = (index: number): number => index * row + 10 + box.height / 2;
  const forward = to > from;
  const x = forward ? left + box.width : left;
  const bend = x + (forward ? 1 : -1) * (10 + Math.abs(to - from) * 20);
  const [start, end] = [middle(from) + (forward ? 6 : -6), middle(to) + (forward ? -6 : 6)];
  return `<path d="M${x} ${start}C${bend} ${start} ${bend} ${end} ${x} ${end}" marker-end="url(#tip)"><title>${label}</title></path>`;
}
