// The editor for workflow documents. It is loaded when it is first shown, and lives in a shadow tree of its own: there it may bring its
// styles without the page having to allow styles from scripts.
import { useEffect, useRef } from 'preact/hooks';
import type { Output } from '../base/api.ts';
import { paint } from '../base/theme.ts';
import type { Editor } from './open-editor.ts';

interface CodeEditorProps {
  readonly text: string;
  readonly fileName: string;
  readonly problems: Output<'validateWorkflow'>['problems'];
  readonly onChange: (text: string) => void;
}

export function CodeEditor({ text, fileName, problems, onChange }: CodeEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<Editor | undefined>(undefined);
  const latest = useRef({ text, fileName, problems, onChange });
  latest.current = { text, fileName, problems, onChange };
  useEffect(() => {
    let gone = false;
    void import('./open-editor.ts').then(({ openEditor }) => {
      if (gone || !host.current) return;
      const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' });
      editor.current = openEditor(root, (next) => latest.current.onChange(next));
      editor.current.show(latest.current.text, latest.current.fileName);
      editor.current.mark(latest.current.problems);
    });
    return () => {
      gone = true;
      editor.current?.close();
    };
  }, []);
  useEffect(() => editor.current?.show(text, fileName), [text, fileName]);
  useEffect(() => editor.current?.mark(problems), [problems]);
  const colours = paint.value;
  useEffect(() => editor.current?.repaint(), [colours]);
  return <div class="editor" ref={host} />;
}
