// biome-ignore-all lint/suspicious/noArrayIndexKey: a text that is shown does not change
import { Anchor, Blockquote, Code, List, Table, Text } from "@mantine/core";
import { type Block, type Inline, parseMarkdown } from "./parseMarkdown";

/** Markdown as React elements. */
export function Markdown({ text }: { text: string }) {
  return parseMarkdown(text).map((block, n) => <MarkdownBlock key={n} block={block} />);
}

function MarkdownBlock({ block }: { block: Block }) {
  if (block.kind === "code") return <Code block>{block.text}</Code>;
  if (block.kind === "table") return <MarkdownTable {...block} />;
  if (block.kind === "list") {
    return (
      <List size="sm" type={block.ordered ? "ordered" : "unordered"}>
        {block.items.map((item, n) => (
          <List.Item key={n}>
            <InlineParts parts={item} />
          </List.Item>
        ))}
      </List>
    );
  }
  if (block.kind === "heading") {
    // The page has its own headings; those of a file are plain text.
    return (
      <Text fw={650} fz={block.level === 1 ? "lg" : block.level === 2 ? "md" : "sm"}>
        <InlineParts parts={block.inlines} />
      </Text>
    );
  }
  if (block.kind === "quote") {
    return (
      <Blockquote p="xs" fz="sm">
        <InlineParts parts={block.inlines} />
      </Blockquote>
    );
  }
  return (
    <Text size="sm">
      <InlineParts parts={block.inlines} />
    </Text>
  );
}

function InlineParts({ parts }: { parts: Inline[] }) {
  return parts.map((part, n) => {
    if (part.kind === "code")
      return (
        <Code key={n} style={{ overflowWrap: "anywhere" }}>
          {part.text}
        </Code>
      );
    if (part.kind === "strong") return <strong key={n}>{part.text}</strong>;
    if (part.kind === "em") return <em key={n}>{part.text}</em>;
    if (part.kind === "link") {
      return (
        <Anchor key={n} href={part.address} target="_blank" rel="noreferrer" inherit>
          {part.text}
        </Anchor>
      );
    }
    return part.text;
  });
}

type TableProps = Pick<Extract<Block, { kind: "table" }>, "head" | "rows">;

function MarkdownTable({ head, rows }: TableProps) {
  return (
    <Table.ScrollContainer minWidth={280}>
      <Table withTableBorder w="auto" fz="sm" my={4}>
        <Table.Thead>
          <Table.Tr>
            {head.map((cell, n) => (
              <Table.Th key={n}>
                <InlineParts parts={cell} />
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row, n) => (
            <Table.Tr key={n}>
              {row.map((cell, m) => (
                <Table.Td key={m} style={{ overflowWrap: "anywhere" }}>
                  <InlineParts parts={cell} />
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
