import { FormCard } from "~/components/FormCard";
import classes from "../Composer.module.css";
import { useComposer } from "../state/context";
import { Collapsible } from "./Collapsible";
import { ContinueFields } from "./ContinueFields";
import { ChoiceField, CountField, TextField } from "./fields";
import { LaunchFields } from "./LaunchFields";

export function ResourcesSection() {
  const { composition } = useComposer();
  return (
    <FormCard title="Resources" help="What the job may use. Smaller requests usually start sooner.">
      <div className={classes.three}>
        <CountField path="resources.nodes" placeholder="1" />
        <CountField path="resources.gpus_per_node" placeholder="0" />
        <ChoiceField
          path="resources.gpu_type"
          placeholder="any"
          data={composition?.choices.gpu_types}
        />
        <CountField path="resources.cpus_per_task" placeholder="1" />
        <TextField path="resources.memory" help="For example 4GB." />
        <TextField path="resources.walltime" help="For example 30m, 2h or 1d12h." />
      </div>
      <Collapsible title="Multiple processes" fields={["launch", "resources.tasks_per_node"]}>
        <LaunchFields />
      </Collapsible>
      <Collapsible title="Continue beyond the time limit" fields={["continue", "budget"]}>
        <ContinueFields />
      </Collapsible>
    </FormCard>
  );
}
