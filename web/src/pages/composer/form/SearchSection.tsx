import { FormCard } from "~/components/FormCard";
import { PLAIN } from "~/jobs/spec/values";
import classes from "../Composer.module.css";
import { Collapsible } from "./Collapsible";
import { ChoiceField, CountField, TextField } from "./fields";
import { KeyValueField } from "./KeyValueField";
import { SPACE } from "./space";

const SAMPLERS = ["tpe", "random", "grid", "cmaes", "nsga2"];
const PRUNERS = ["none", "asha", "hyperband", "median", "percentile", "wilcoxon"];

/** Many trials of this job instead of one run. */
export function SearchSection() {
  return (
    <FormCard title="Search" help="Try many values of the parameters instead of one run.">
      <Collapsible title="Search for the best parameters" fields={["study"]}>
        <KeyValueField
          path="study.objective"
          help="Metrics that your program logs."
          nameLabel="Metric"
          valueLabel="Direction"
          namePlaceholder="accuracy"
          valuePlaceholder="maximize"
          add="Add a metric"
          cells={PLAIN}
        />
        <KeyValueField
          path="study.space"
          help="A range such as log 1e-5..0.1, int 1..6 or 0..1, or choices such as 32, 64, 128."
          nameLabel="Parameter"
          valueLabel="Values"
          namePlaceholder="lr"
          valuePlaceholder="log 1e-5..0.1"
          add="Add a parameter to search"
          cells={SPACE}
        />
        <div className={classes.two}>
          <CountField path="study.trials" placeholder="100" />
          <CountField path="study.parallel" placeholder="4" />
          <ChoiceField path="study.sampler" data={SAMPLERS} placeholder="tpe" />
          <ChoiceField
            path="study.pruner"
            data={PRUNERS}
            placeholder="none"
            help="Stops bad trials early."
          />
          <CountField
            path="study.pack"
            placeholder="off"
            help="Trials that share an allocation: a number, auto or off."
          />
          <TextField path="study.budget" placeholder="40 node-hours" help="For all trials." />
        </div>
      </Collapsible>
    </FormCard>
  );
}
