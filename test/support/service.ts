import { afterEach } from '@jest/globals';
import { sendRaw, type RawConnection } from './http.js';

/** A service of this process that is running. */
export interface RunningService {
  readonly address: string;
  /** How it ends. */
  readonly end: Promise<void>;
  /** Ends it as SIGTERM does. */
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
