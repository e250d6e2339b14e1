import { DEPLOYMENT_KEYS } from '../log/deployment.js';
import type { LoadFailure } from '../log/line.js';
import { formatUtcOffset } from '../log/timestamp.js';
import { isZoneName, zoneNamed } from '../log/zone.js';

/** Requests in a row that show one UTC offset: that of their zone from the first to the last of them. */
interface Span {
  readonly utcOffset: string;
  readonly first: number;
  last: number;
}

/** The most spans that are kept: the changes of clocks of 500 years. */
const MAX_SPANS = 1000;

/** `Etc/GMT-14` to `Etc/GMT+12` are the zones of constant whole hours; their signs are those of POSIX, west is positive. */
const WHOLE_HOUR = /^([+-])(\d\d)00$/;

/** The UTC offsets that a log shows. Where no record names the zone, they tell which one it can be. */
export class ShownOffsets {
  readonly #spans: Span[] = [];

  /** Takes the stamp of the next request. */
  add({ utcOffset, second }: Pick<LoadFailure, 'utcOffset' | 'second'>): void {
    const latest = this.#spans.at(-1);
    if (latest?.utcOffset === utcOffset) latest.last = second;
    else if (this.#spans.length < MAX_SPANS) this.#spans.push({ utcOffset, first: second, last: second });
  }

  /**
   * The name of a zone that has all offsets that were shown: the default one, else that of a constant whole hour, else the first by name.
   * Undefined if no zone has them.
   */
  findZone(): string | undefined {
    const [, sign, hours] = WHOLE_HOUR.exec(this.#spans[0]?.utcOffset ?? '') ?? [];
    const wholeHour = `Etc/GMT${sign === '-' || hours === '00' ? '+' : '-'}${String(Number(hours))}`;
    const usual = [DEPLOYMENT_KEYS.timezone.default, wholeHour].find((name) => isZoneName(name) && this.#areOf(name));
    return usual ?? Intl.supportedValuesOf('timeZone').find((name) => this.#areOf(name));
  }

  #areOf(name: string): boolean {
    const zone = zoneNamed(name);
    const shows = (second: number, utcOffset: string): boolean => formatUtcOffset(zone.offsetAt(second)) === utcOffset;
    return this.#spans.every(({ utcOffset, first, last }) => shows(first, utcOffset) && shows(last, utcOffset));
  }
}
