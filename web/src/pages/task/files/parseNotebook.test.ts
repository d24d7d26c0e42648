import { expect, test } from "vitest";
import { parseNotebook } from "./parseNotebook";

const notebook = (...cells: object[]) => JSON.stringify({ nbformat: 4, cells });

test("cells come with their text, number and outputs", () => {
  const cells = parseNotebook(
    notebook(
      { cell_type: "markdown", source: ["# Title\n", "words"] },
      {
        cell_type: "code",
        source: "1 + 1",
        execution_count: 3,
        outputs: [
          { output_type: "stream", name: "stdout", text: ["hi\n"] },
          { output_type: "execute_result", data: { "text/plain": "2", "text/html": "<b>2</b>" } },
          { output_type: "error", traceback: ["\u001b[31mBad\u001b[0m"] },
        ],
      },
    ),
  );
  expect(cells[0]).toMatchObject({ kind: "markdown", text: "# Title\nwords", count: null });
  expect(cells[1]).toMatchObject({ text: "1 + 1", count: 3 });
  expect(cells[1]?.outputs).toEqual([
    { kind: "text", text: "hi", isError: false },
    { kind: "text", text: "2", isError: false },
    { kind: "text", text: "Bad", isError: true },
  ]);
});

test("a picture becomes a data address that can hold nothing but base64", () => {
  const data = { "image/png": 'iVBO\n"><script>' };
  const [cell] = parseNotebook(
    notebook({ cell_type: "code", outputs: [{ output_type: "display_data", data }] }),
  );
  expect(cell?.outputs).toEqual([{ kind: "picture", address: "data:image/png;base64,iVBOscript" }]);
});

test("what could run in the page is named and left out", () => {
  for (const type of ["text/html", "image/svg+xml", "application/javascript"]) {
    const outputs = [{ output_type: "display_data", data: { [type]: "<script>1</script>" } }];
    expect(parseNotebook(notebook({ cell_type: "code", outputs }))[0]?.outputs).toEqual([
      { kind: "left-out", type },
    ]);
  }
});
