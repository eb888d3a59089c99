// docs/reference/states.md: the state machines as diagrams and tables.
import { allMachines } from '../../src/core/machines/all.ts';
import { type Machine, statesOf } from '../../src/core/machines/machine.ts';
import { generatedFrom, markdownTable, type ReferencePage } from './reference-page.ts';

export const statesPage: ReferencePage = {
  path: 'docs/reference/states.md',
  render: () =>
    [
      '# States',
      generatedFrom('src/core/machines/'),
      'A state changes only along these tables, by compare-and-set, with a journal row in the same transaction (I1).',
      ...allMachines.map(machineSection),
    ].join('\n\n'),
};

function machineSection(machine: Machine): string {
  const states = statesOf(machine).map((state) => {
    const marks = [
      ...(machine.initial.includes(state) ? ['begins here'] : []),
      ...(machine.final.includes(state) ? ['needs no further work'] : []),
    ];
    return [`\`${state}\``, machine.states[state]!, marks.join(', ')];
  });
  const events = Object.entries(machine.events).map(([event, { when, moves }]) => [
    `\`${event}\``,
    when,
    Object.entries(moves)
      .map(([from, to]) => `${from} → ${to}`)
      .join('\n'),
  ]);
  return [
    `## ${machine.name}`,
    machine.about,
    ['```mermaid', ...diagram(machine), '```'].join('\n'),
    markdownTable(['state', 'meaning', ''], states),
    markdownTable(['event', 'when', 'moves'], events),
  ].join('\n\n');
}

/** One arrow for each pair of states, labelled with all events that make the move. */
function diagram(machine: Machine): string[] {
  const labels = new Map<string, string[]>();
  for (const [event, { moves }] of Object.entries(machine.events)) {
    for (const [from, to] of Object.entries(moves)) {
      const arrow = `${from} --> ${to}`;
      labels.set(arrow, [...(labels.get(arrow) ?? []), event]);
    }
  }
  return [
    'stateDiagram-v2',
    ...machine.initial.map((state) => `  [*] --> ${state}`),
    ...[...labels].map(([arrow, events]) => `  ${arrow}: ${events.join(', ')}`),
  ];
}
