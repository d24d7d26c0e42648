import "@xyflow/react/dist/style.css";
import { useComputedColorScheme } from "@mantine/core";
import {
  Background,
  Controls,
  type Edge,
  type FitViewOptions,
  type Node,
  type NodeTypes,
  ReactFlow,
} from "@xyflow/react";

type FlowGraphProps = {
  label: string;
  nodes: Node[];
  edges: Edge[];
  nodeTypes: NodeTypes;
  className: string | undefined;
  fitViewOptions?: FitViewOptions;
};

/** A graph to look at and move in; only what its boxes hold can be clicked. */
export function FlowGraph({ label, className, ...graph }: FlowGraphProps) {
  const scheme = useComputedColorScheme("light");
  return (
    <section className={className} aria-label={label}>
      <ReactFlow
        {...graph}
        colorMode={scheme}
        fitView
        minZoom={0.1}
        nodesDraggable={false}
        nodesConnectable={false}
        edgesFocusable={false}
        nodesFocusable={false}
        proOptions={{ hideAttribution: true }}
      >
        <Background />
        <Controls showInteractive={false} />
      </ReactFlow>
    </section>
  );
}
