import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { EnvelopeOpener } from '../../src/envelope/envelope-opener.js';
import { EnvelopeWriter, rendererIn } from '../../src/envelope/envelope-writer.js';
import { ENVELOPES, type EnvelopeName } from '../../src/envelope/envelopes.js';
import { LogLineCutter } from '../../src/input/log-lines.js';
import { createDeployment, type DeploymentOptions } from '../../src/log/deployment.js';
import { formatGroup, GroupRenderer } from '../../src/log/group.js';
import { namesOf } from '../../src/wording.js';
import { request } from '../support/arbitraries.js';

const MOMENT = Date.UTC(2025, 4, 8, 10, 0, 0, 120);
const FAILURE =
  '[08-May-2025 12:00:00 +0200]: PHP Error: Failed to load plugin file /a.php in /b.php on line 193 (GET /mail/?a=b&c)';
const DEPRECATION = '[08-May-2025 12:00:00 Europe/Warsaw] PHP Deprecated:  session_set_save_handler(): x in /c.php on line 119';

/** A line in an envelope. */
const wrap = (envelope: EnvelopeName, line: string, options: DeploymentOptions = {}, moment = MOMENT): string =>
  Buffer.from(
    new EnvelopeWriter(envelope, createDeployment(options)).wrap(Buffer.from(`${line}\n`, 'latin1'), moment, false),
  ).toString('latin1');

/** The lines inside an envelope. */
function open(text: string): string {
  const opener = new EnvelopeOpener({ zone: 'Europe/Warsaw', now: () => MOMENT });
  const cutter = new LogLineCutter({ opener });
  return [...cutter.cut(Buffer.from(text, 'latin1')), ...cutter.end()].map(({ bytes }) => bytes.toString('latin1')).join('');
}

describe('EnvelopeWriter', () => {
  const inDocker = FAILURE.replaceAll('&', '\\u0026');
  const stdout = { driver: 'stdout', deprecation: false } as const;
  const syslog = { driver: 'syslog' } as const;
  const bare = FAILURE.slice(FAILURE.indexOf('PHP'));
  const bareDeprecation = DEPRECATION.slice(DEPRECATION.indexOf('PHP'));
  test.each<[string, string, string]>([
    ['docker', wrap('docker', FAILURE), `{"log":"${inDocker}\\n","stream":"stderr","time":"2025-05-08T10:00:00.12Z"}`],
    [
      'docker, stdout',
      wrap('docker', FAILURE, stdout),
      `{"log":"errors: ${inDocker.slice(FAILURE.indexOf('PHP'))}\\n","stream":"stdout","time":"2025-05-08T10:00:00.12Z"}`,
    ],
    ['cri', wrap('cri', FAILURE), `2025-05-08T10:00:00.12Z stderr F ${FAILURE}`],
    [
      'cri, stdout, on a whole second',
      wrap('cri', FAILURE, stdout, MOMENT - 120),
      `2025-05-08T10:00:00Z stdout F errors: ${bare}`,
    ],
    ['syslog', wrap('syslog', FAILURE), `May  8 12:00:00 webmail roundcube: ${FAILURE}`],
    ['syslog, its driver', wrap('syslog', FAILURE, syslog), `May  8 12:00:00 webmail roundcube: ${bare}`],
    ['rfc3164', wrap('rfc3164', FAILURE, syslog), `<11>May  8 12:00:00 webmail roundcube: ${bare}`],
    ['rfc3164, of PHP', wrap('rfc3164', DEPRECATION, syslog), `<14>May  8 12:00:00 webmail roundcube: ${bareDeprecation}`],
    [
      'rfc3164, a warning of PHP',
      wrap('rfc3164', DEPRECATION.replace('Deprecated', 'Warning')),
      `<12>May  8 12:00:00 webmail roundcube: ${DEPRECATION.replace('Deprecated', 'Warning')}`,
    ],
    ['rfc5424', wrap('rfc5424', FAILURE), `<11>1 2025-05-08T12:00:00.120+02:00 webmail roundcube - - - ${FAILURE}`],
    [
      'rfc5424, of PHP',
      wrap('rfc5424', DEPRECATION, syslog),
      `<14>1 2025-05-08T12:00:00.120+02:00 webmail roundcube - - - ${bareDeprecation}`,
    ],
    ['a line that is not a record', wrap('syslog', 'Stack trace:', syslog), 'May  8 12:00:00 webmail roundcube: Stack trace:'],
  ])('%s', (_what, written, line) => {
    expect(written).toBe(`${line}\n`);
  });

  test("what is not text is escaped as Docker's encoder does", () => {
    const [line = ''] = wrap('docker', '<"\\\t\r\x01&>\xc5\xbc\xe2\x80\xa8\xff\xe2\x82x').split('","stream"');
    expect(line).toBe('{"log":"\\u003c\\"\\\\\\t\\r\\u0001\\u0026\\u003e\xc5\xbc\\u2028\\ufffd\\ufffd\\ufffdx\\n');
  });

  test.each([
    ['docker', 16_383, [16_384]],
    ['docker', 16_384, [16_384, 1]],
    ['docker', 40_000, [16_384, 16_384, 7233]],
    ['cri', 16_384, [16_384]],
    ['cri', 16_385, [16_384, 1]],
    ['cri', 40_000, [16_384, 16_384, 7232]],
  ] as const)('%s: a record of %i bytes is in pieces of %j bytes', (envelope, length, sizes) => {
    const record = FAILURE.replace('/mail/', `/mail/${'x'.repeat(length - FAILURE.length)}`).replaceAll('&', 'y');
    const written = wrap(envelope, record);
    const lines = written.trimEnd().split('\n');
    const piecesOf = {
      docker: (line: string) => String(JSON.parse(`"${line.slice(8, line.indexOf('","'))}"`)),
      cri: (line: string) => line.split(/ stderr [PF] /)[1] ?? '',
    };
    expect(lines.map((line) => piecesOf[envelope](line).length)).toEqual(sizes);
    if (envelope === 'cri')
      expect(lines.map((line) => / ([PF]) /.exec(line)?.[1]).join('')).toBe(`${'P'.repeat(lines.length - 1)}F`);
    expect(open(written)).toBe(`${record}\n`);
  });

  test('lines of several requests have the moments that their stamps show', () => {
    const lines = `${FAILURE.replace('12:00:00', '11:59:58')}\n#0 trace\n${FAILURE}\n`;
    const wrapped = new EnvelopeWriter('cri', createDeployment()).wrap(Buffer.from(lines), MOMENT, true);
    expect(Buffer.from(wrapped).toString().match(/^\S+/gm)).toEqual([
      '2025-05-08T09:59:58Z',
      '2025-05-08T09:59:58Z',
      '2025-05-08T10:00:00.12Z',
    ]);
  });
});

describe('rendererIn', () => {
  const options: readonly DeploymentOptions[] = [
    {},
    { driver: 'stdout', deprecation: false, plugins: ['a'] },
    { driver: 'syslog', dialect: 'php', timezone: 'America/New_York', runtimeTag: 'X' },
  ];
  test.each(namesOf(ENVELOPES))('%s: renders what is wrapped otherwise, and what is opened to the log', (envelope) => {
    for (const option of options) {
      const deployment = createDeployment(option);
      const groups = rendererIn(envelope, deployment);
      const writer = new EnvelopeWriter(envelope, deployment);
      const renderer = new GroupRenderer(deployment);
      fc.assert(
        fc.property(request, fc.constantFrom(1, 10_000), (plain, repeats) => {
          const logged = { ...plain, target: plain.target.repeat(plain.target.length < 20 ? repeats : 1) };
          const written = Buffer.from(groups.render(logged)).toString('latin1');
          expect(written).toBe(Buffer.from(writer.wrap(renderer.render(logged), logged.millisecond, false)).toString('latin1'));
          if (deployment.driver === 'file' && (envelope !== 'docker' || !/[\x80-\xff]/.test(logged.target)))
            expect(open(written)).toBe(formatGroup(logged, deployment));
        }),
        { numRuns: 10 },
      );
    }
  });

  test('refuses what formatGroup refuses', () => {
    const groups = rendererIn('cri', createDeployment());
    expect(() => groups.render({ millisecond: 0, method: 'GET', target: '/\n' })).toThrow(RangeError);
  });
});
