// CodeMirror with the language of the document, completion from the JSON Schema, and the problems that the server found.
import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { yaml } from '@codemirror/lang-yaml';
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint';
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search';
import { Compartment, EditorState } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import type { Output } from '../base/api.ts';
import { schemaCompletion } from './schema-completion.ts';

type Problems = Output<'validateWorkflow'>['problems'];

export interface Editor {
  show(text: string, fileName: string): void;
  mark(problems: Problems): void;
  repaint(): void;
  close(): void;
}

/** The colours of the page are variables, which reach into the shadow tree. */
const look = EditorView.theme({
  '&': { height: '100%', color: 'var(--ink)', backgroundColor: 'var(--surface)', fontSize: '13.5px' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55' },
  '.cm-content': { caretColor: 'var(--accent)', padding: '12px 0' },
  '.cm-cursor': { borderLeftColor: 'var(--accent)' },
  '.cm-gutters': { backgroundColor: 'var(--surface)', color: 'var(--ink-2)', border: 'none' },
  '.cm-activeLine, .cm-activeLineGutter': {
    backgroundColor: 'color-mix(in srgb, var(--sunken) 70%, transparent)',
  },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--accent-soft) !important',
  },
  '.cm-tooltip': {
    color: 'var(--ink)',
    backgroundColor: 'var(--surface)',
    border: '1px solid var(--line)',
    borderRadius: '8px',
  },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    color: 'var(--accent-ink)',
    backgroundColor: 'var(--accent)',
  },
  '.cm-completionInfo': { maxWidth: '340px' },
  '.cm-panels': { color: 'var(--ink)', backgroundColor: 'var(--sunken)' },
});

const highlight = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--accent)' },
  { tag: tags.string, color: 'var(--ok)' },
  { tag: [tags.number, tags.bool, tags.null, tags.keyword], color: 'var(--reuse)' },
  { tag: tags.comment, color: 'var(--ink-2)', fontStyle: 'italic' },
  { tag: [tags.punctuation, tags.separator, tags.bracket], color: 'var(--ink-2)' },
]);

export function openEditor(root: ShadowRoot, onChange: (text: string) => void): Editor {
  const language = new Compartment();
  let isJson = false;
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: '',
      extensions: [
        lineNumbers(),
        history(),
        drawSelection(),
        indentOnInput(),
        bracketMatching(),
        closeBrackets(),
        highlightActiveLine(),
        highlightSelectionMatches(),
        lintGutter(),
        look,
        syntaxHighlighting(highlight),
        language.of(yaml()),
        autocompletion({ override: [schemaCompletion] }),
        // Escape, then Tab leaves the editor, as everywhere.
        keymap.of([
          ...closeBracketsKeymap,
          ...defaultKeymap,
          ...searchKeymap,
          ...historyKeymap,
          ...completionKeymap,
          ...lintKeymap,
          indentWithTab,
        ]),
        EditorView.contentAttributes.of({ 'aria-label': 'Workflow document' }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) onChange(update.state.doc.toString());
        }),
      ],
    }),
  });
  return {
    show(text, fileName) {
      const wanted = fileName.endsWith('.json');
      if (wanted !== isJson) {
        isJson = wanted;
        view.dispatch({ effects: language.reconfigure(isJson ? json() : yaml()) });
      }
      const { doc } = view.state;
      if (doc.toString() !== text) view.dispatch({ changes: { from: 0, to: doc.length, insert: text } });
    },
    mark: (problems) =>
      view.dispatch(
        setDiagnostics(
          view.state,
          problems.flatMap((problem) => diagnosticOf(problem, view.state)),
        ),
      ),
    repaint: () => view.requestMeasure(),
    close: () => view.destroy(),
  };
}

function diagnosticOf({ message, hint, place }: Problems[number], { doc }: EditorState): Diagnostic[] {
  const line = doc.line(Math.min(doc.lines, Math.max(1, place?.line ?? 1)));
  const from = Math.min(line.to, line.from + Math.max(0, (place?.column ?? 1) - 1));
  const word = /^[\w$.-]+/.exec(doc.sliceString(from, line.to))?.[0].length ?? 0;
  const to = Math.max(Math.min(line.to, from + Math.max(1, word)), from);
  return [{ from, to, severity: 'error', message: hint ? `${message} (${hint})` : message }];
}
