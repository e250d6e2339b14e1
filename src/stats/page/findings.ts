import type { Deployment } from '../../log/deployment.js';
import { countOf, formatCount } from '../../wording.js';
import { markup, NOTHING, type Markup } from './markup.js';
import { showName } from './names.js';

/** The findings of a check of the log. */
export interface PageCheck {
  /** The deployment that the log was held against: that of its first complete group. */
  readonly deployment: Deployment;
  /** The rules that the log breaks, in the order of the rules. */
  readonly rules: readonly PageRule[];
}

/** A rule that a log breaks. */
interface PageRule {
  readonly rule: string;
  /** The sections of the specification behind the rule. */
  readonly sections: string;
  /** The number of violations. */
  readonly count: number;
  /** The first violations as `check` writes them, without LF. */
  readonly examples: readonly string[];
}

/** The number of all violations. */
export function violationsOf({ rules }: PageCheck): number {
  return rules.reduce((sum, { count }) => sum + count, 0);
}

/** Formats what a check found, by rule. @param check the reason in place of a check, where the log was not checked */
export function formatFindings(check: PageCheck | string): Markup {
  if (typeof check === 'string') return markup`<p>Not checked: ${check}.</p>`;
  const { installRoot, timezone, plugins } = check.deployment;
  return markup`<p class="quiet">The findings of <code>check --infer</code>. The installation is that of the first complete group:
<code>${showName(installRoot)}</code>, ${showName(timezone)}, ${countOf(plugins.length, 'plugin')}.</p>
${check.rules.length === 0 ? markup`<p>No violations.</p>` : formatRules(check.rules)}`;
}

function formatRules(rules: readonly PageRule[]): Markup {
  return markup`<table>
<thead><tr><th scope="col">Rule and sections of the specification</th><th scope="col" class="number">Violations</th></tr></thead>
${rules.map(formatRule)}
</table>`;
}

function formatRule({ rule, sections, count, examples }: PageRule): Markup {
  const more = count - examples.length;
  return markup`<tbody class="rule">
<tr><th scope="row">${rule} <span class="quiet">${sections}</span></th><td class="number">${formatCount(count)}</td></tr>
<tr class="examples"><td colspan="2"><ul>
${examples.map((example) => markup`<li><code>${example}</code></li>`)}
${more > 0 ? markup`<li class="quiet">and ${formatCount(more)} more</li>` : NOTHING}
</ul></td></tr>
</tbody>`;
}
