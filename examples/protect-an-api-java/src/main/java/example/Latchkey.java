package example;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.http.ResponseEntity;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/** What an endpoint asks of a user, beyond a valid token. */
@RestControllerAdvice
class Latchkey {
  /** An answer other than the one that was asked for. */
  static class Refusal extends RuntimeException {
    final int status;

    Refusal(int status, String error) {
      super(error);
      this.status = status;
    }
  }

  private final HttpClient http = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(3)).build();
  private final URI user;

  Latchkey(@Value("${issuer}") String issuer) {
    this.user = URI.create(issuer + "/user");
  }

  @ExceptionHandler
  ResponseEntity<String> tell(Refusal refusal) {
    var headers = Answers.headersOf(refusal.status, refusal.getMessage());
    return ResponseEntity.status(refusal.status).headers(headers).body(Answers.bodyOf(refusal.getMessage()));
  }

  /** Refuses with 403 unless the session has a second factor. */
  void requireSecondFactor(Jwt user) {
    if (!"aal2".equals(user.getClaimAsString("aal"))) throw new Refusal(403, "insufficient_aal");
  }

  /** Refuses with 403 unless the user acts for this organization, with this permission unless it is null. */
  void requireOrganization(Jwt user, String id, String permission) {
    if (!id.equals(user.getClaimAsString("org_id"))) throw new Refusal(403, "other_organization");
    List<String> permissions = user.getClaimAsStringList("org_permissions");
    if (permission != null && (permissions == null || !permissions.contains(permission)))
      throw new Refusal(403, "permission_missing");
  }

  /**
   * Asks Latchkey whether the session is still there, which the token cannot say. Refuses with 401 if it has ended, 503 if
   * Latchkey does not answer. It costs a call: ask where it matters.
   */
  void requireLiveSession(Jwt token) {
    var request =
        HttpRequest.newBuilder(user)
            .header("Authorization", "Bearer " + token.getTokenValue())
            .timeout(Duration.ofSeconds(3))
            .build();
    int status;
    try {
      status = http.send(request, BodyHandlers.discarding()).statusCode();
    } catch (IOException error) {
      status = 503;
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
      status = 503;
    }
    if (List.of(401, 403, 404).contains(status)) throw new Refusal(401, "invalid_token");
    if (status != 200) throw new Refusal(503, "latchkey_unavailable");
  }
}
