import type { AppSchemaOptions } from '../../db/app-schema.js';
import type { Config } from '../config/settings.js';

type Settings = Pick<Config, 'dbAppSchema' | 'dbAppSchemaInserts' | 'dbAppSchemaSignIns'>;

/** @returns null: DB_APP_SCHEMA is off */
export const appSchemaOf = ({
  dbAppSchema,
  dbAppSchemaInserts,
  dbAppSchemaSignIns,
}: Settings): AppSchemaOptions | null =>
  dbAppSchema === ''
    ? null
    : { schema: dbAppSchema, takesInserts: dbAppSchemaInserts, mirrorsSignIns: dbAppSchemaSignIns };
