import type { Deprecation } from '../log/line.js';
import { isZoneName, zoneNamed, type Zone } from '../log/zone.js';

/** The most unknown names that are looked up: each lookup takes as long as reading many records. */
const MAX_LOOKUPS = 100;

/** Finds the instants that the local time of a deprecation record can mean: it has a zone and no offset. */
export class DeprecationInstants {
  /** The first known zone of the log, the only one that is used, and its name; until there is one, the name that was looked up last. */
  #zone: Zone | undefined;
  #name: string | undefined;
  #lookups = 0;

  /** The Unix seconds that a record can mean: none for an unknown zone or a time that its clocks skipped, two in autumn. */
  secondsOf({ timezoneName, localSecond }: Pick<Deprecation, 'timezoneName' | 'localSecond'>): readonly number[] {
    // PHP's zone before it has read its configuration, and that of records stamped by an envelope: beside the zone of the log.
    if (timezoneName === 'UTC') return [localSecond];
    if (this.#zone === undefined && timezoneName !== this.#name && this.#lookups < MAX_LOOKUPS) {
      this.#lookups += 1;
      this.#name = timezoneName;
      if (isZoneName(timezoneName)) this.#zone = zoneNamed(timezoneName);
    }
    return timezoneName === this.#name ? (this.#zone?.instantsOf(localSecond) ?? []) : [];
  }
}
