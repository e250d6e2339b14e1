/* The same groups as `replay` writes, in plain C: what formatting with stdio costs. Usage: yardstick ROWS > log */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const char *const PLUGINS[] = {"automatic_addressbook", "carddav",     "html5_notifier", "legacy_browser",
                                      "markasjunk2",           "sauserprefs", "sieverules"};
static const char *const TARGETS[] = {"/mail/", "/poczta/", "/webmail/", "/webmail/index.php", "/poczta/?_task=login",
                                      "/webmail/?C=N%3BO%3DD"};
#define ROOT "/var/www/roundcube"

int main(int argc, char **argv) {
  long rows = argc > 1 ? atol(argv[1]) : 1000;
  static char buffer[1 << 16];
  setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
  for (long row = 0; row < rows; row++) {
    time_t second = 1746057600 + row;
    time_t local = second + 7200;
    struct tm tm;
    char stamp[32];
    gmtime_r(&local, &tm);
    strftime(stamp, sizeof stamp, "%d-%b-%Y %H:%M:%S", &tm);
    for (int i = 0; i < 7; i++)
      printf("[%s +0200]: PHP Error: Failed to load plugin file " ROOT "/plugins/%s/%s.php in " ROOT
             "/program/lib/Roundcube/rcube_plugin_api.php on line %d (GET %s)\n",
             stamp, PLUGINS[i], PLUGINS[i], 193, TARGETS[row % 6]);
    printf("[%s Europe/Warsaw] PHP Deprecated: session_set_save_handler(): Providing individual callbacks instead of an object "
           "implementing SessionHandlerInterface is deprecated in " ROOT
           "/program/lib/Roundcube/rcube_session.php on line %d\n",
           stamp, 119);
  }
  return 0;
}
