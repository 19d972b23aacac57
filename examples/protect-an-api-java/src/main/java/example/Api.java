package example;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.http.HttpStatus;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** An API with Spring Boot. */
@SpringBootApplication
@RestController
class Api {
  private final Latchkey latchkey;

  Api(Latchkey latchkey) {
    this.latchkey = latchkey;
  }

  public static void main(String[] arguments) {
    var application = SpringApplication.run(Api.class, arguments);
    System.out.println("API at http://localhost:" + application.getEnvironment().getProperty("server.port"));
  }

  @GetMapping("/me")
  Map<String, Object> me(@AuthenticationPrincipal Jwt user) {
    var organization = Optional.ofNullable(user.getClaimAsString("org_id"));
    return Map.of("id", user.getSubject(), "aal", user.getClaimAsString("aal"), "organization", organization);
  }

  @PostMapping("/payouts")
  @ResponseStatus(HttpStatus.CREATED)
  Map<String, String> payOut(@AuthenticationPrincipal Jwt user) {
    latchkey.requireSecondFactor(user);
    latchkey.requireLiveSession(user);
    return Map.of("by", user.getSubject());
  }

  @GetMapping("/organizations/{id}/documents")
  List<String> documents(@AuthenticationPrincipal Jwt user, @PathVariable String id) {
    latchkey.requireOrganization(user, id, null);
    return List.of();
  }

  @PostMapping("/organizations/{id}/documents")
  @ResponseStatus(HttpStatus.CREATED)
  Map<String, String> addDocument(@AuthenticationPrincipal Jwt user, @PathVariable String id) {
    latchkey.requireOrganization(user, id, "documents:write");
    return Map.of("by", user.getSubject());
  }
}
