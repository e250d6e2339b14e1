import type { ChildProcess } from 'node:child_process';
import { afterEach } from '@jest/globals';
import { sendRaw, type RawConnection } from './http.js';

export interface RunningService {
  readonly address: string;
  readonly end: Promise<void>;
  readonly stop: () => Promise<void>;
  readonly send: (bytes: string) => RawConnection;
}

const controllers: AbortController[] = [];

afterEach(() => {
  for (const controller of controllers.splice(0)) controller.abort();
});

/** Starts a service, and waits until it listens. It ends with the test. @throws what the service throws before it listens */
export async function startService(
  service: (onListening: (address: string) => void, signal: AbortSignal) => Promise<void>,
): Promise<RunningService> {
  const controller = new AbortController();
  controllers.push(controller);
  let end = Promise.resolve();
  const address = await new Promise<string>((resolve, reject) => {
    end = service(resolve, controller.signal);
    end.catch(reject);
  });
  const stop = (): Promise<void> => {
    controller.abort();
    return end;
  };
  return { address, end, stop, send: (bytes) => sendRaw(address, bytes) };
}

/** Waits until a service of the command line listens. @returns what it has said on stderr */
export async function saidBy(child: ChildProcess): Promise<string> {
  let said = '';
  for await (const chunk of child.stderr?.iterator({ destroyOnReturn: false }) ?? []) {
    said += String(chunk);
    if (said.endsWith('\n') && addressIn(said) !== '') return said;
  }
  throw new Error(`it does not listen: ${said}`);
}

/** The address that a service has said to listen on; empty if it has not. */
export const addressIn = (said: string): string => /^webmail-diaglog: listening on (http:\S+\/)/.exec(said)?.[1] ?? '';

export const addressOf = async (child: ChildProcess): Promise<string> => addressIn(await saidBy(child));
