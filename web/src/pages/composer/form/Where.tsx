import { Select, Text } from "@mantine/core";
import classes from "../Composer.module.css";
import { labelOf } from "../labels";
import { withValue } from "../spec/draft";
import { showValue } from "../spec/values";
import { useComposer, useField } from "../state/context";
import { fromForm } from "../state/work";
import { accountOptions, endpointOptions, partitionOptions } from "./choices";
import { ChoiceField, TextField } from "./fields";
import { ProjectField } from "./ProjectField";
import { RawOptions } from "./RawOptions";
import { Fold, Section } from "./Section";

const SITE_FIELDS = ["partition", "account", "qos", "reservation", "constraint", "options"];

export function Where() {
  const { composition } = useComposer();
  const choices = composition?.choices;
  const hasQueues = Boolean(choices?.scheduler && choices.has_batch_system);
  return (
    <Section title="Where" help="The machine it runs on, and who pays for it.">
      <EndpointField />
      <ProjectField />
      {hasQueues && (
        <div className={classes.two}>
          <PartitionField />
          <AccountField />
        </div>
      )}
      <Fold
        title={hasQueues ? "More for the batch system" : "For a batch system"}
        fields={hasQueues ? SITE_FIELDS.slice(2) : SITE_FIELDS}
      >
        {!hasQueues && (
          <div className={classes.two}>
            <PartitionField />
            <AccountField />
          </div>
        )}
        <div className={classes.three}>
          <ChoiceField path="qos" data={choices?.qos} help="As your site calls it." />
          <TextField path="reservation" help="If one was made for you." />
          <TextField path="constraint" help="Features a node must have." />
        </div>
        <RawOptions />
      </Fold>
    </Section>
  );
}

/** Another machine knows other partitions and accounts: they are asked for anew. */
function EndpointField() {
  const { draft, composition } = useComposer();
  const field = useField("on");
  const chosen = endpointOf(field.value);
  const choose = (name: string | null) =>
    draft.change((work) =>
      fromForm(work, {
        spec: [...SITE_FIELDS].reduce(
          (spec, path) => withValue(spec, path, undefined),
          withValue(work.spec, "on", name === "auto" ? undefined : (name ?? undefined)),
        ),
      }),
    );
  return (
    <Select
      id={field.id}
      label={labelOf("on")}
      data={endpointOptions(composition?.choices.endpoints ?? [], chosen)}
      value={chosen}
      onChange={choose}
      onBlur={field.touch}
      allowDeselect={false}
      error={field.fault}
      maw={420}
      comboboxProps={{ keepMounted: false }}
    />
  );
}

function PartitionField() {
  const { draft, composition } = useComposer();
  const on = useField("on");
  const [, within] = splitPlace(on.value);
  const partitions = composition?.choices.partitions ?? [];
  const set = (name: string) =>
    draft.change((work) => {
      const place = within ? withValue(work.spec, "on", endpointOf(on.value)) : work.spec;
      return fromForm(work, { spec: withValue(place, "partition", name) });
    });
  return (
    <ChoiceField
      path="partition"
      help="The queue it waits in."
      placeholder={composition?.partition ? `${composition.partition} (chosen for you)` : undefined}
      data={partitions.map((one) => one.name)}
      renderOption={({ option }) => (
        <Choice name={option.value} words={partitionOptions(partitions)[option.value]} />
      )}
      {...(within ? { value: within } : {})}
      onChange={set}
    />
  );
}

function AccountField() {
  const { composition } = useComposer();
  const field = useField("account");
  const accounts = composition?.choices.accounts ?? [];
  const words = accountOptions(accounts);
  const paying = showValue(field.value) || composition?.account || "";
  return (
    <ChoiceField
      path="account"
      help={words[paying] || "The allocation that pays."}
      placeholder={composition?.account ? `${composition.account} (chosen for you)` : undefined}
      data={accounts.map((one) => one.name)}
      renderOption={({ option }) => <Choice name={option.value} words={words[option.value]} />}
      value={field.value === "auto" ? "" : showValue(field.value)}
    />
  );
}

function Choice({ name, words }: { name: string; words?: string }) {
  return (
    <div>
      <Text size="sm">{name}</Text>
      {words && (
        <Text size="xs" c="dimmed">
          {words}
        </Text>
      )}
    </div>
  );
}

function endpointOf(on: unknown): string {
  if (Array.isArray(on)) return on.map(showValue).join(", ");
  return splitPlace(on)[0] || "auto";
}

/** `endpoint/partition` in its two parts. */
function splitPlace(on: unknown): [string, string] {
  const [endpoint = "", partition = ""] = typeof on === "string" ? on.split("/", 2) : [];
  return [endpoint, partition];
}
