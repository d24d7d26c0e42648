import { Anchor, Checkbox, Table, UnstyledButton } from "@mantine/core";
import { IconArrowDown, IconArrowUp } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import type { RunRow, RunTable } from "~/runs/api";
import { cellText, columnTitle, isNumeric } from "~/runs/cells";

type RunGridProps = {
  data: RunTable;
  sort: string;
  chosen: string[];
  onChoose: (chosen: string[]) => void;
  onSort: (column: string) => void;
};

/** One line for each run; a click on a heading sorts by it. */
export function RunGrid({ data, sort, chosen, onChoose, onSort }: RunGridProps) {
  const toggle = (run: string) =>
    onChoose(chosen.includes(run) ? chosen.filter((id) => id !== run) : [...chosen, run]);
  return (
    <Table.ScrollContainer minWidth={640}>
      <Table horizontalSpacing="sm" verticalSpacing={4} highlightOnHover stickyHeader>
        <Table.Thead>
          <Table.Tr>
            <Table.Th w={36} aria-label="Selected" />
            <Table.Th>Run</Table.Th>
            {data.columns.map((column) => (
              <Table.Th
                key={column.name}
                ta={isNumeric(column) ? "right" : undefined}
                aria-sort={sortOf(sort, column.name)}
              >
                <UnstyledButton fz="sm" fw={600} onClick={() => onSort(column.name)}>
                  {columnTitle(column.name)}
                  {sort === column.name && <IconArrowUp size={13} aria-hidden />}
                  {sort === `-${column.name}` && <IconArrowDown size={13} aria-hidden />}
                </UnstyledButton>
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {data.rows.map((row) => (
            <Table.Tr key={row.id}>
              <Table.Td>
                <Checkbox
                  size="xs"
                  aria-label={`Select ${row.id.slice(0, 8)}`}
                  checked={chosen.includes(row.id)}
                  onChange={() => toggle(row.id)}
                />
              </Table.Td>
              <Table.Td>
                <RunName row={row} />
              </Table.Td>
              {row.values.map((value, n) => {
                const column = data.columns[n];
                if (!column) return null;
                return (
                  <Table.Td key={column.name} ta={isNumeric(column) ? "right" : undefined}>
                    {cellText(column, value)}
                  </Table.Td>
                );
              })}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

/** An imported run has no page of its own. */
function RunName({ row }: { row: RunRow }) {
  const short = row.id.slice(0, 8);
  if (row.source !== "diamond") return <>{`${short} (${row.source})`}</>;
  return (
    <Anchor
      size="sm"
      renderRoot={(props) => <Link to="/tasks/$task" params={{ task: row.id }} {...props} />}
    >
      {short}
    </Anchor>
  );
}

function sortOf(sort: string, column: string): "ascending" | "descending" | "none" {
  if (sort === column) return "ascending";
  return sort === `-${column}` ? "descending" : "none";
}
