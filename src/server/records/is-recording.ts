import type { Config } from '../config/settings.js';

/** Whether this process records what the console shows. */
export const isRecording = ({
  consoleRecordsEnabled,
  consolePort,
}: Pick<Config, 'consoleRecordsEnabled' | 'consolePort'>): boolean => consoleRecordsEnabled ?? consolePort !== null;
