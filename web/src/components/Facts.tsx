import { Card, Title } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./Facts.module.css";

type FactsProps = { title: string; facts: [string, ReactNode][]; children?: ReactNode };

/** A card of names and values; hidden if empty. */
export function Facts({ title, facts, children }: FactsProps) {
  if (!facts.length && !children) return null;
  return (
    <Card component="section" aria-label={title}>
      <Title order={2} mb="xs">
        {title}
      </Title>
      {facts.length > 0 && (
        <dl className={classes.facts}>
          {facts.map(([name, value]) => (
            <div key={name} className={classes.fact}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
      {children}
    </Card>
  );
}
