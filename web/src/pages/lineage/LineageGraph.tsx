import { Anchor, Text } from "@mantine/core";
import { IconBox, IconCode, IconDatabase, IconPlayerPlay } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { Handle, type NodeProps, Position } from "@xyflow/react";
import { useMemo } from "react";
import { FlowGraph } from "~/components/FlowGraph";
import type { Lineage } from "~/runs/api";
import classes from "./Lineage.module.css";
import { type GraphNode, graphOf, nodeKind, nodeTitle } from "./layout";

const ICONS = { task: IconPlayerPlay, code: IconCode, image: IconBox, tree: IconDatabase };
/** Below it nothing could be read on a phone: a larger graph is moved by hand. */
const READABLE = { minZoom: 0.7 };
const NODE_TYPES = { lineage: LineageNodeBox };

/** Tasks, and what they used and made, from left to right. */
export function LineageGraph({ lineage }: { lineage: Lineage }) {
  const { nodes, edges } = useMemo(() => graphOf(lineage), [lineage]);
  return (
    <FlowGraph
      key={lineage.start}
      label="Lineage graph"
      className={classes.graph}
      nodes={nodes}
      edges={edges}
      nodeTypes={NODE_TYPES}
      fitViewOptions={READABLE}
    />
  );
}

function LineageNodeBox({ data: { node, isStart } }: NodeProps<GraphNode>) {
  const Icon = ICONS[node.kind];
  return (
    <div className={isStart ? classes.start : classes.node}>
      <Handle type="target" position={Position.Left} isConnectable={false} />
      <Icon size={15} aria-hidden />
      <div className={classes.text}>
        <NodeLink node={node} />
        <Text size="xs" c="dimmed" truncate>
          {node.kind === "task" ? `${node.state} on ${node.endpoint}` : nodeKind(node)}
        </Text>
      </div>
      <Handle type="source" position={Position.Right} isConnectable={false} />
    </div>
  );
}

/** A task leads to its page; anything else becomes the start of the walk. */
function NodeLink({ node }: { node: GraphNode["data"]["node"] }) {
  const title = nodeTitle(node);
  return (
    <Anchor
      size="sm"
      truncate
      renderRoot={(props) =>
        node.kind === "task" ? (
          <Link to="/tasks/$task" params={{ task: node.id }} {...props} />
        ) : (
          <Link to="/lineage" search={{ of: node.id }} {...props} />
        )
      }
    >
      {title}
    </Anchor>
  );
}
