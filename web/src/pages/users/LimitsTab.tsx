import { useQuery } from "@tanstack/react-query";
import { askLimits, everyonesLimitsQuery } from "~/api/limits";
import { Answer } from "~/components/Answer";
import { Section } from "~/components/Section";
import { LimitsForm } from "~/limits/LimitsForm";

/** What holds for whoever has no limits of her own. */
export function LimitsTab() {
  const query = useQuery(everyonesLimitsQuery);
  return (
    <Section
      title="Limits of everybody"
      about="For each person who has none of her own, checked before anything is submitted. An empty field is no limit. One person's own are set in her account, a project's on its page."
    >
      <Answer query={query}>
        {(kept) => <LimitsForm kept={kept} save={askLimits.everyones} />}
      </Answer>
    </Section>
  );
}
