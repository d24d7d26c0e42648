import { Text, UnstyledButton } from "@mantine/core";
import { Handle, type NodeProps, Position } from "@xyflow/react";
import { createContext, useContext, useMemo } from "react";
import { FlowGraph } from "~/components/FlowGraph";
import { count } from "~/lib/format";
import type { Stage } from "~/pipelines/api";
import { StepBadge } from "~/pipelines/StepBadge";
import { graphOf, type StageNode } from "./layout";
import classes from "./PipelineGraph.module.css";

const NODE_TYPES = { stage: StageBox };
const Choose = createContext<{ chosen: string; choose: (stage: string) => void }>({
  chosen: "",
  choose: () => undefined,
});

type GraphProps = { stages: Stage[]; chosen: string; choose: (stage: string) => void };

/** The stages from left to right, as they are now. */
export function PipelineGraph({ stages, chosen, choose }: GraphProps) {
  const { nodes, edges } = useMemo(() => graphOf(stages), [stages]);
  const value = useMemo(() => ({ chosen, choose }), [chosen, choose]);
  return (
    <Choose.Provider value={value}>
      <FlowGraph
        label="Graph of stages"
        className={classes.graph}
        nodes={nodes}
        edges={edges}
        nodeTypes={NODE_TYPES}
      />
    </Choose.Provider>
  );
}

function StageBox({ data: { stage } }: NodeProps<StageNode>) {
  const { chosen, choose } = useContext(Choose);
  return (
    <UnstyledButton
      className={classes.node}
      data-critical={stage.is_critical}
      data-chosen={chosen === stage.name}
      aria-pressed={chosen === stage.name}
      onClick={() => choose(stage.name)}
    >
      <Handle type="target" position={Position.Left} isConnectable={false} />
      <Text size="sm" fw={550} truncate>
        {stage.name}
      </Text>
      {stage.group && (
        <Text size="xs" c="dimmed" truncate>
          {stage.group === "together" ? "together" : `in ${stage.group}`}
        </Text>
      )}
      <StepBadge state={stage.state} text={boxText(stage)} />
      <Handle type="source" position={Position.Right} isConnectable={false} />
    </UnstyledButton>
  );
}

function boxText({ state, steps, is_mapped }: Stage): string {
  if (!is_mapped || !steps.length) return state;
  const over = steps.filter((step) => !["waiting", "running"].includes(step.state)).length;
  return `${state}, ${over} of ${count(steps.length, "step")}`;
}
