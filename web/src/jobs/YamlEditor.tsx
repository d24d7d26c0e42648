import { yaml } from "@codemirror/lang-yaml";
import { type Diagnostic, lintGutter, setDiagnostics } from "@codemirror/lint";
import { useComputedColorScheme } from "@mantine/core";
import CodeMirror, {
  EditorState,
  EditorView,
  type ReactCodeMirrorRef,
} from "@uiw/react-codemirror";
import { useEffect, useRef } from "react";
import type { TextFault } from "~/jobs/api";
import { faultText } from "~/jobs/faults";

type YamlEditorProps = { text: string; faults: TextFault[]; onType: (text: string) => void };

const EXTENSIONS = [
  yaml(),
  lintGutter(),
  EditorView.lineWrapping,
  EditorState.tabSize.of(2),
  EditorView.contentAttributes.of({ "aria-label": "The job as YAML" }),
  EditorView.theme({
    "&": {
      fontSize: "13px",
      backgroundColor: "light-dark(transparent, var(--mantine-color-dark-8)) !important",
    },
    ".cm-gutters": {
      backgroundColor: "transparent !important",
      border: "none !important",
      color: "var(--mantine-color-dimmed) !important",
    },
    ".cm-content": { fontFamily: "var(--mantine-font-family-monospace)" },
    ".cm-placeholder": { color: "var(--mantine-color-placeholder)" },
    "&.cm-focused": { outline: "none" },
  }),
];
/** Tab leaves the editor, as everywhere on the page; use spaces to indent. */
const SETUP = {
  foldGutter: false,
  highlightActiveLine: false,
  highlightActiveLineGutter: false,
  autocompletion: false,
};

/** Loaded on demand: CodeMirror is larger than the page. */
export default function YamlEditor({ text, faults, onType }: YamlEditorProps) {
  const editor = useRef<ReactCodeMirrorRef>(null);
  const scheme = useComputedColorScheme("light");
  useEffect(() => markFaults(editor.current?.view, faults), [faults]);
  return (
    <CodeMirror
      ref={editor}
      value={text}
      onChange={onType}
      onCreateEditor={(view) => markFaults(view, faults)}
      placeholder="Fill in the form, or write or paste a diamond.yaml here"
      theme={scheme}
      height="100%"
      style={{ height: "100%" }}
      indentWithTab={false}
      basicSetup={SETUP}
      extensions={EXTENSIONS}
    />
  );
}

function markFaults(view: EditorView | undefined, faults: TextFault[]): void {
  if (!view) return;
  const marks = faults.flatMap((fault) => diagnosticOf(view, fault));
  view.dispatch(setDiagnostics(view.state, marks));
}

function diagnosticOf(view: EditorView, fault: TextFault): Diagnostic[] {
  if (!fault.line || fault.line > view.state.doc.lines) return [];
  const { from, to } = view.state.doc.line(fault.line);
  return [{ from, to, severity: "error", message: faultText(fault) }];
}
