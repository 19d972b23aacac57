import type { Section } from './setting.js';

/** Signals by number (Linux) that may reload; the others end the process or mean something already. */
export const RELOAD_SIGNALS: Readonly<Record<number, 'SIGHUP' | 'SIGUSR1' | 'SIGUSR2'>> = {
  1: 'SIGHUP',
  10: 'SIGUSR1',
  12: 'SIGUSR2',
};

export const reloading = {
  reloadingNotifyEnabled: {
    variable: 'RELOADING_NOTIFY_ENABLED',
    restart: true,
    kind: 'bool',
    default: 'true',
    doc: 'Reloads the configuration when a file of the folder of `-d` changes.',
    example: 'false',
  },
  reloadingPollerEnabled: {
    variable: 'RELOADING_POLLER_ENABLED',
    restart: true,
    kind: 'bool',
    default: 'false',
    doc: 'Looks for changed files in that folder at an interval where the system reports no changes, as on some network file systems, or where RELOADING_NOTIFY_ENABLED is off.',
    example: 'true',
  },
  reloadingPollerIntervalSeconds: {
    variable: 'RELOADING_POLLER_INTERVAL',
    restart: true,
    kind: 'duration',
    positive: true,
    default: '10s',
    doc: 'Time between two such looks.',
    example: '1m',
  },
  reloadingSignalEnabled: {
    variable: 'RELOADING_SIGNAL_ENABLED',
    restart: true,
    kind: 'bool',
    default: 'false',
    doc: 'Reloads the configuration on the signal of RELOADING_SIGNAL_NUMBER, besides SIGHUP.',
    example: 'true',
  },
  reloadingSignalNumber: {
    variable: 'RELOADING_SIGNAL_NUMBER',
    restart: true,
    kind: 'int',
    default: '10',
    doc: 'Number of that signal: 10 (SIGUSR1) or 12 (SIGUSR2).',
    example: '12',
  },
  reloadingGracePeriodSeconds: {
    variable: 'RELOADING_GRACE_PERIOD_INTERVAL',
    restart: true,
    kind: 'duration',
    default: '5s',
    doc: 'How long the files of the folder must stay unchanged before they are read.',
    example: '1s',
  },
} as const satisfies Section;
