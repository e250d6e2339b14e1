/** A load-failure record (2.1), without its LF. */
export const FAILURE =
  '[18-May-2025 12:00:00 +0200]: PHP Error: Failed to load plugin file /r/plugins/carddav/carddav.php in /r/program/lib/Roundcube/rcube_plugin_api.php on line 193 (GET /mail/)';

/** A deprecation record (2.2) of the same second, without its LF. */
export const DEPRECATION =
  '[18-May-2025 12:00:00 Europe/Warsaw] PHP Deprecated: session_set_save_handler(): Providing individual callbacks instead of an object implementing SessionHandlerInterface is deprecated in /r/program/lib/Roundcube/rcube_session.php on line 119';
