// The editor for workflow documents. It is loaded when it is first shown, and lives in a shadow tree of its own: there it may bring its
// styles without the page having to allow styles from scripts.
import { effect, type Signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Output } from '../base/api.ts';
import { paint } from '../base/theme.ts';
import type { Editor } from './open-editor.ts';

interface CodeEditorProps {
  /** What is written: followed at once, because a text that comes late would undo what was typed meanwhile. */
  readonly text: Signal<string>;
  readonly fileName: string;
  readonly problems: Output<'validateWorkflow'>['problems'];
}

export function CodeEditor({ text, fileName, problems }: CodeEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<Editor | undefined>(undefined);
  const latest = useRef({ fileName, problems });
  latest.current = { fileName, problems };
  useEffect(() => {
    let gone = false;
    void import('./open-editor.ts').then(({ openEditor }) => {
      if (gone || !host.current) return;
      const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' });
      editor.current = openEditor(root, (next) => {
        text.value = next;
      });
      editor.current.show(text.peek(), latest.current.fileName);
      editor.current.mark(latest.current.problems);
    });
    return () => {
      gone = true;
      editor.current?.close();
    };
  }, [text]);
  useEffect(() => effect(() => editor.current?.show(text.value, fileName)), [text, fileName]);
  useEffect(() => editor.current?.mark(problems), [problems]);
  const colours = paint.value;
  useEffect(() => editor.current?.repaint(), [colours]);
  return <div class="editor" ref={host} />;
}
