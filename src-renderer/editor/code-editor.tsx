// One file in Monaco. Edits go up through `onChange`; outside changes come down as props.
import { useEffect, useRef } from 'react';
import type { editor } from 'monaco-editor/editor/editor.api.js';
import { monaco } from '#renderer/editor/monaco.ts';
import { MONACO_THEME } from '#renderer/editor/monaco-theme.ts';

export interface Problem {
  readonly message: string;
  readonly line: number;
  readonly column: number;
}

export interface CodeEditorProps {
  readonly label: string;
  readonly fileName: string;
  readonly text: string;
  readonly problems: readonly Problem[];
  readonly onChange: (text: string) => void;
  /** Called once with the editor's imperative actions. */
  readonly onReady?: (acts: EditorActions) => void;
}

export interface EditorActions {
  format(): void;
  goTo(line: number, column: number): void;
}

export const EDITOR_OPTIONS: editor.IEditorOptions & editor.IGlobalEditorOptions = {
  automaticLayout: true,
  fontFamily: "ui-monospace, 'SF Mono', 'Cascadia Mono', 'Liberation Mono', monospace",
  fontSize: 13,
  lineHeight: 20,
  minimap: { enabled: false },
  scrollBeyondLastLine: false,
  renderLineHighlight: 'line',
  padding: { top: 10, bottom: 10 },
  overviewRulerLanes: 0,
  scrollbar: { horizontalScrollbarSize: 8, verticalScrollbarSize: 10 },
  hideCursorInOverviewRuler: true,
  fixedOverflowWidgets: true,
  // strict-styles.ts can't reach style sheets inside a shadow root.
  useShadowDOM: false,
  theme: MONACO_THEME,
};

/** Marker owner for the host's problems. TypeScript's own markers use another owner. */
const MARKER_OWNER = 'holdfast';

export default function CodeEditor(props: CodeEditorProps) {
  const { label, fileName, text, problems } = props;
  const container = useRef<HTMLDivElement>(null);
  const editorRef = useRef<editor.IStandaloneCodeEditor | null>(null);
  const latest = useRef(props);
  useEffect(() => {
    latest.current = props;
  });

  useEffect(() => {
    if (!container.current) return undefined;
    const uri = monaco.Uri.file(`/${fileName}`);
    monaco.editor.getModel(uri)?.dispose();
    const model = monaco.editor.createModel(latest.current.text, undefined, uri);
    model.updateOptions({ tabSize: 2, insertSpaces: true });
    const code = monaco.editor.create(container.current, {
      ...EDITOR_OPTIONS,
      model,
      ariaLabel: label,
    });
    editorRef.current = code;
    const typed = model.onDidChangeContent(() => latest.current.onChange(model.getValue()));
    latest.current.onReady?.({
      format: () => {
        code.focus();
        void code.getAction('editor.action.formatDocument')?.run();
      },
      goTo: (lineNumber, column) => {
        code.setPosition({ lineNumber, column });
        code.revealPositionInCenterIfOutsideViewport({ lineNumber, column });
        code.focus();
      },
    });
    return () => {
      typed.dispose();
      code.dispose();
      model.dispose();
      editorRef.current = null;
    };
  }, [fileName, label]);

  useEffect(() => {
    const model = editorRef.current?.getModel();
    if (!model || model.getValue() === text) return;
    // Applied as an edit, so that it can be undone.
    model.pushEditOperations([], [{ range: model.getFullModelRange(), text }], () => null);
  }, [text]);

  useEffect(() => {
    const model = editorRef.current?.getModel();
    if (!model) return;
    const markers = problems.map(({ message, line, column }) => {
      const lineNumber = Math.min(line, model.getLineCount());
      const word = model.getWordAtPosition({ lineNumber, column });
      return {
        message,
        severity: monaco.MarkerSeverity.Error,
        startLineNumber: lineNumber,
        startColumn: column,
        endLineNumber: lineNumber,
        endColumn: word?.endColumn ?? column + 1,
      };
    });
    monaco.editor.setModelMarkers(model, MARKER_OWNER, markers);
  }, [problems]);

  return <div ref={container} className="h-full min-h-0" />;
}
