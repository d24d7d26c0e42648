// biome-ignore-all lint/suspicious/noArrayIndexKey: a text that is shown does not change
import { Anchor, Blockquote, Code, List, Text } from "@mantine/core";
import { type Block, blocksOf, type Inline } from "./markdown";

/** Markdown drawn as elements. */
export function Markdown({ text }: { text: string }) {
  return blocksOf(text).map((block, n) => <Drawn key={n} block={block} />);
}

function Drawn({ block }: { block: Block }) {
  if (block.kind === "code") return <Code block>{block.text}</Code>;
  if (block.kind === "list") {
    return (
      <List size="sm" type={block.ordered ? "ordered" : "unordered"}>
        {block.items.map((item, n) => (
          <List.Item key={n}>
            <Inlines parts={item} />
          </List.Item>
        ))}
      </List>
    );
  }
  if (block.kind === "heading") {
    // The page has its own headings; those of a file are text within it.
    return (
      <Text fw={650} fz={block.level === 1 ? "lg" : block.level === 2 ? "md" : "sm"}>
        <Inlines parts={block.inlines} />
      </Text>
    );
  }
  if (block.kind === "quote") {
    return (
      <Blockquote p="xs" fz="sm">
        <Inlines parts={block.inlines} />
      </Blockquote>
    );
  }
  return (
    <Text size="sm">
      <Inlines parts={block.inlines} />
    </Text>
  );
}

function Inlines({ parts }: { parts: Inline[] }) {
  return parts.map((part, n) => {
    if (part.kind === "code") return <Code key={n}>{part.text}</Code>;
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
