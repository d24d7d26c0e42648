import { Button, Group, MultiSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { askProjects, type ProjectPage } from "~/api/projects";
import { endpointsQuery, keys } from "~/api/queries";
import { Failed } from "~/components/Answer";
import { Section } from "~/components/Section";
import { useDeed } from "~/components/useDeed";

/** Sensitive data: only listed endpoints run the project's work, and no file of it passes through the service. */
export function RestrictSection({ project }: { project: ProjectPage }) {
  const { data } = useQuery(endpointsQuery);
  const [typed, setTyped] = useState<string[] | null>(null);
  const kept = project.endpoints ?? [];
  const own = (data?.items ?? []).map((one) => ({ value: one.id, label: one.name }));
  const known = new Set(own.map((one) => one.value));
  const others = kept
    .filter((id) => !known.has(id))
    .map((id) => ({ value: id, label: `another person's endpoint (${id.slice(0, 8)})` }));
  const save = useDeed({
    by: (endpoints: string[] | null) => askProjects.change(project.id, { endpoints }),
    renews: [keys.projects],
    done: (now) => (now.endpoints ? "Restriction saved." : "Restriction removed."),
    onDone: () => setTyped(null),
  });
  return (
    <Section
      title="Allowed endpoints"
      about="For sensitive data: jobs run only on the endpoints listed here, and their code, images and files never pass through this service."
    >
      <MultiSelect
        label="Endpoints"
        placeholder={kept.length || typed?.length ? undefined : "any"}
        data={[...own, ...others]}
        value={typed ?? kept}
        onChange={setTyped}
      />
      {save.error && <Failed error={save.error} />}
      <Group gap="xs">
        <Button
          variant="light"
          disabled={!typed?.length}
          loading={save.isPending}
          onClick={() => save.run(typed)}
        >
          Restrict to these endpoints
        </Button>
        {project.endpoints && (
          <Button variant="default" onClick={() => save.run(null)}>
            Allow all endpoints
          </Button>
        )}
      </Group>
    </Section>
  );
}
