package example;

import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;

/** Refusals as all parts of the API answer them. */
final class Answers {
  private Answers() {}

  static void write(HttpServletResponse response, int status, String error) throws IOException {
    response.setStatus(status);
    headersOf(status, error).forEach((name, values) -> response.setHeader(name, values.get(0)));
    response.getWriter().write(bodyOf(error));
  }

  static String bodyOf(String error) {
    return "{\"error\":\"" + error + "\"}";
  }

  static HttpHeaders headersOf(int status, String error) {
    var headers = new HttpHeaders();
    headers.setContentType(MediaType.APPLICATION_JSON);
    // RFC 6750 3
    if (error.equals("token_missing")) headers.set("WWW-Authenticate", "Bearer");
    else if (status == 401) headers.set("WWW-Authenticate", "Bearer error=\"" + error + "\"");
    else if (status == 503) headers.set("Retry-After", "5");
    return headers;
  }
}
